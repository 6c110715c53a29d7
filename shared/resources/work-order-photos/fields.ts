import Joi from 'joi';
import { dateTime, uuid } from '../../contracts/schemas/fields.js';
import { recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';

/** Maximum number of photos of a work order. */
export const MAX_PHOTOS = 50;
/** Maximum size of all photos of an account in storage. */
export const MAX_ACCOUNT_PHOTO_BYTES = 20 * 1024 ** 3;

const count = () => Joi.number().integer().required();

export const workOrderPhotoFields = defineFields({
  id: recordId(),
  work_order_id: { output: uuid() },
  content_type: { output: Joi.string().example('image/jpeg') },
  width: { output: count().example(1600) },
  height: { output: count().example(1200) },
  bytes: { output: count().example(312_480) },
  sha256: { output: Joi.string().description('Of the stored file, in hexadecimal digits') },
  taken_at: time(dateTime().allow(null).description("When the driver took it, by the phone's clock")),
  uploaded_by: { output: Joi.string().allow(null) },
  created_at: time(),
  updated_at: time(),
});
