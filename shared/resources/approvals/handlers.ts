import type { CommandHandlers } from '../../contracts/command.js';
import { approveApprovals, expireApprovals, rejectApprovals } from './decide-handler.js';
import { proposeApprovals } from './propose-handler.js';

export const approvalHandlers: CommandHandlers = {
  'approval.propose': proposeApprovals,
  'approval.approve': approveApprovals,
  'approval.reject': rejectApprovals,
  'approval.expire': expireApprovals,
};
