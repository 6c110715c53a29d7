/* The schedules of the clock. The folder of a resource or worker defines its own schedules. */

export { purgeSweep } from '../../shared/operations/store.js';
export { approvalSweep } from '../../shared/resources/approvals/expiry.js';
export { pretendChargeSweep } from '../../shared/resources/autopay-attempts/pretend-sweep.js';
export { autopaySweep } from '../../shared/resources/autopay-attempts/sweep.js';
export { seenInvoiceSweep } from '../../shared/resources/books/reconciliation/seen-sweep.js';
export { claimSweep } from '../../shared/resources/claims/deadlines.js';
export { clubOfferSweep } from '../../shared/resources/club-offers/sweep.js';
export { storageSweep } from '../../shared/resources/impounds/storage-sweep.js';
export { overdueSweep } from '../../shared/resources/invoices/overdue-sweep.js';
export { termsSweep } from '../../shared/resources/invoices/terms-changes.js';
export { clubContactSweep } from '../../shared/resources/open-club-offers/clear-contacts.js';
export { recurringInvoiceSweep } from '../../shared/resources/recurring-invoices/sweep.js';
export { expiringCardSweep } from '../../shared/resources/saved-methods/sweep.js';
export { pretendTerminalSweep } from '../../shared/resources/terminal-payments/sweep.js';
export { endpointHealthSweep } from '../../shared/resources/webhook-endpoints/health/sweep.js';
export { exportScheduleTask } from '../exports/run-export-schedules.js';
export { exportTask } from '../exports/watch-exports.js';
export { connectionTask } from '../integrations/wake-connections.js';
export { messageTask } from '../messages/prompt-messages.js';
export { replayTask } from '../webhooks/run-replays.js';
export { endpointQueueTask } from '../webhooks/wake-endpoint-queues.js';
export { operationTask } from '../writes/resubmit-operations.js';
export { partitionTask } from './maintain-partitions.js';
export { driveTask } from './measure-drives.js';
export { storedJsonSweep } from './store-json.js';
export { billingTask } from './watch-billing.js';
