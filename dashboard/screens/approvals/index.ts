export { ApprovalRecord as Record } from './approval-record';
export { ApprovalsScreen as Screen } from './approvals-screen';
