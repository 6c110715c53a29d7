import Joi from 'joi';
import { cursor, limit, slug } from '../../contracts/schemas/fields.js';
import { noticeFields } from './fields.js';
import { NOTICE_KINDS } from './kinds.js';

export const notice = noticeFields.response.meta({ className: 'Notice' });

/** The input is empty, because the path names the notice. */
export const noticeRead = Joi.object({}).meta({ className: 'NoticeRead' });

export const noticeListQuery = Joi.object({
  unread: Joi.boolean().description('true: only unread notices; false: only notices marked as read'),
  kind: slug(NOTICE_KINDS),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'NoticeListQuery' });
