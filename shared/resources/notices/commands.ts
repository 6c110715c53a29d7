import { defineCommand } from '../../contracts/command.js';
import type { NoticeRead } from '../../contracts/generated.js';
import { noticeRead } from './schema.js';

export const markNoticeRead = defineCommand<NoticeRead>({
  type: 'notice.mark_read',
  action: 'notice.acknowledged',
  schema: noticeRead,
  permission: 'write',
});
