import { defineCommand } from '../../contracts/command.js';
import type { NoticeRead } from '../../contracts/generated.js';
import { noticeRead } from './schema.js';

export const markNoticeRead = defineCommand<NoticeRead>({
  type: 'notice.mark_read',
  entityType: 'notice',
  action: 'notice.acknowledged',
  creates: false,
  schema: noticeRead,
  permission: 'write',
  agentScope: null,
});
