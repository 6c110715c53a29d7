import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';

/**
 * A photo whose picture the api process has received. The picture is in storage, unless a limit was
 * reached.
 */
export interface WorkOrderPhotoInput {
  work_order_id: string;
  content_type: string;
  width: number;
  height: number;
  bytes: number;
  sha256: string;
  /**
   * Key of the picture in storage. If null, the picture was not stored, and no photo is created.
   */
  object_key: string | null;
  taken_at: string | null;
}

export const createWorkOrderPhoto = defineCommand<WorkOrderPhotoInput>({
  type: 'work_order_photo.create',
  action: 'work_order_photo.created',
  creates: true,
  schema: Joi.object({
    work_order_id: Joi.string().guid().required(),
    content_type: Joi.string().required(),
    width: Joi.number().integer().required(),
    height: Joi.number().integer().required(),
    bytes: Joi.number().integer().required(),
    sha256: Joi.string().hex().length(64).required(),
    object_key: Joi.string().allow(null).required(),
    taken_at: Joi.string().isoDate().allow(null).required(),
  }),
  permission: 'write',
  conflictKeys: ({ work_order_id }) => [`entity:${work_order_id}`],
});

export const deleteWorkOrderPhoto = defineCommand<Record<string, never>>({
  type: 'work_order_photo.delete',
  action: 'work_order_photo.deleted',
  schema: Joi.object({}),
  permission: 'write',
});
