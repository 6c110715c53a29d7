import { CANARY_TYPE } from '../../shared/contracts/canary.js';
import type { CommandHandler } from '../../shared/contracts/command.js';
import {
  createAgentKeys,
  createApiKeys,
  revokeKeys,
  rollKeys,
} from '../../shared/resources/api-keys/handlers.js';
import {
  approveApprovals,
  expireApprovals,
  rejectApprovals,
} from '../../shared/resources/approvals/decide-handler.js';
import { proposeApprovals } from '../../shared/resources/approvals/propose-handler.js';
import { moveClaims } from '../../shared/resources/claims/handlers/move-handler.js';
import { recordClaimOutcomes } from '../../shared/resources/claims/handlers/outcome-handler.js';
import { createClaims, updateClaims } from '../../shared/resources/claims/handlers/write-handler.js';
import { createCustomers, updateCustomers } from '../../shared/resources/customers/handlers.js';
import { createDrivers, updateDrivers } from '../../shared/resources/drivers/handlers.js';
import {
  createExportSchedules,
  deleteExportSchedules,
  updateExportSchedules,
} from '../../shared/resources/export-schedules/handlers.js';
import { runExportSchedules } from '../../shared/resources/export-schedules/run-handler.js';
import { cancelExports, createExports, retryExports } from '../../shared/resources/exports/handlers.js';
import {
  expireExports,
  recordExportsCompleted,
  recordExportsFailed,
} from '../../shared/resources/exports/record-handlers.js';
import { accrueImpoundStorage } from '../../shared/resources/impounds/accrue-handler.js';
import { createImpounds } from '../../shared/resources/impounds/create-handler.js';
import { createImpoundActionHandler } from '../../shared/resources/impounds/move-handler.js';
import { createInspections, updateInspections } from '../../shared/resources/inspections/handlers.js';
import { createInvoices } from '../../shared/resources/invoices/handlers/create-handler.js';
import { draftInvoices } from '../../shared/resources/invoices/handlers/draft-handler.js';
import { createInvoiceActionHandler } from '../../shared/resources/invoices/handlers/move-handler.js';
import { markInvoicesOverdue } from '../../shared/resources/invoices/handlers/overdue-handler.js';
import { updateInvoices } from '../../shared/resources/invoices/handlers/update-handler.js';
import { markInvoicesViewed } from '../../shared/resources/invoices/handlers/viewed-handler.js';
import { retryMessages, revokeMessageLinks } from '../../shared/resources/messages/action-handlers.js';
import { recordMessagesFailed, recordMessagesSent } from '../../shared/resources/messages/record-handler.js';
import { markNoticesRead } from '../../shared/resources/notices/handlers.js';
import { createPayments, refundPayments } from '../../shared/resources/payments/handlers.js';
import { createRateCards } from '../../shared/resources/rate-cards/handlers.js';
import { endSessions } from '../../shared/resources/sessions/handlers.js';
import { updateSettings } from '../../shared/resources/settings/handlers.js';
import { removeLogos, setLogos } from '../../shared/resources/settings/logo-handlers.js';
import { createSuggestions, expireSuggestions } from '../../shared/resources/suggestions/create-handler.js';
import { acceptSuggestions, dismissSuggestions } from '../../shared/resources/suggestions/decide-handler.js';
import { createTrucks, updateTrucks } from '../../shared/resources/trucks/handlers.js';
import { createUsers, deactivateUsers, updateUsers } from '../../shared/resources/users/handlers.js';
import { createSessions } from '../../shared/resources/users/sign-in-handler.js';
import { cancelDeliveries, replayDeliveries } from '../../shared/resources/webhook-deliveries/handlers.js';
import { createWebhookEndpoints } from '../../shared/resources/webhook-endpoints/create-handler.js';
import {
  disableEndpoints,
  probeEndpoints,
  recordEndpointRecoveries,
  recordExhaustedDeliveries,
  reenableEndpoints,
  warnAboutEndpoints,
} from '../../shared/resources/webhook-endpoints/health/handlers.js';
import { rotateWebhookSecrets } from '../../shared/resources/webhook-endpoints/rotate-handler.js';
import {
  deleteWebhookEndpoints,
  updateWebhookEndpoints,
} from '../../shared/resources/webhook-endpoints/update-handler.js';
import { cancelReplays, createReplays } from '../../shared/resources/webhook-replays/handlers.js';
import { testEndpoints } from '../../shared/resources/webhook-tests/test-handler.js';
import { createWorkOrders, updateWorkOrders } from '../../shared/resources/work-orders/handlers.js';
import { createMoveHandler } from '../../shared/resources/work-orders/move-handler.js';
import { logSteps } from '../../shared/resources/work-orders/step-handler.js';

/** The handler of each command type. A contract test checks that every defined command has one. */
export const handlers = {
  'invoice.create': createInvoices,
  'invoice.draft': draftInvoices,
  'invoice.update': updateInvoices,
  'invoice.approve': createInvoiceActionHandler('approve'),
  'invoice.send': createInvoiceActionHandler('send'),
  'invoice.return': createInvoiceActionHandler('return'),
  'invoice.dispute': createInvoiceActionHandler('dispute'),
  'invoice.resolve': createInvoiceActionHandler('resolve'),
  'invoice.cancel': createInvoiceActionHandler('cancel'),
  'invoice.void': createInvoiceActionHandler('void'),
  'invoice.mark_overdue': markInvoicesOverdue,
  'invoice.mark_viewed': markInvoicesViewed,
  'message.retry': retryMessages,
  'message.revoke_link': revokeMessageLinks,
  'message.record_sent': recordMessagesSent,
  'message.record_failed': recordMessagesFailed,
  'notice.mark_read': markNoticesRead,
  'webhook_endpoint.warn': warnAboutEndpoints,
  'webhook_endpoint.disable': disableEndpoints,
  'webhook_endpoint.note_recovery': recordEndpointRecoveries,
  'webhook_endpoint.heal': reenableEndpoints,
  'webhook_endpoint.probe': probeEndpoints,
  'webhook_endpoint.record_exhausted': recordExhaustedDeliveries,
  'work_order.create': createWorkOrders,
  'work_order.update': updateWorkOrders,
  'work_order.accept': createMoveHandler('accept'),
  'work_order.assign': createMoveHandler('assign'),
  'work_order.unassign': createMoveHandler('unassign'),
  'work_order.start': createMoveHandler('start'),
  'work_order.step': logSteps,
  'work_order.complete': createMoveHandler('complete'),
  'work_order.cancel': createMoveHandler('cancel'),
  'work_order.reopen': createMoveHandler('reopen'),
  'customer.create': createCustomers,
  'customer.update': updateCustomers,
  'payment.create': createPayments,
  'payment.refund': refundPayments,
  'claim.create': createClaims,
  'claim.update': updateClaims,
  'claim.submit': moveClaims('submit'),
  'claim.rebill': moveClaims('rebill'),
  'claim.withdraw': moveClaims('withdraw'),
  'claim.expire': moveClaims('expire'),
  'claim.outcome': recordClaimOutcomes,
  'suggestion.create': createSuggestions,
  'suggestion.expire': expireSuggestions,
  'suggestion.accept': acceptSuggestions,
  'suggestion.dismiss': dismissSuggestions,
  'truck.create': createTrucks,
  'truck.update': updateTrucks,
  'driver.create': createDrivers,
  'driver.update': updateDrivers,
  'inspection.create': createInspections,
  'inspection.update': updateInspections,
  'rate_card.create': createRateCards,
  'impound.create': createImpounds,
  'impound.update': createImpoundActionHandler('update'),
  'impound.hold': createImpoundActionHandler('hold'),
  'impound.unhold': createImpoundActionHandler('unhold'),
  'impound.release': createImpoundActionHandler('release'),
  'impound.accrue': accrueImpoundStorage,
  'webhook_delivery.replay': replayDeliveries,
  'webhook_delivery.cancel': cancelDeliveries,
  'webhook_delivery.test': testEndpoints,
  'webhook_replay.create': createReplays('replay'),
  'webhook_replay.recover': createReplays('recover'),
  'webhook_replay.cancel': cancelReplays,
  'export.create': createExports,
  'export.cancel': cancelExports,
  'export.retry': retryExports,
  'export.record_completed': recordExportsCompleted,
  'export.record_failed': recordExportsFailed,
  'export.expire': expireExports,
  'export_schedule.create': createExportSchedules,
  'export_schedule.update': updateExportSchedules,
  'export_schedule.delete': deleteExportSchedules,
  'export_schedule.run': runExportSchedules,
  'webhook_endpoint.create': createWebhookEndpoints,
  'webhook_endpoint.update': updateWebhookEndpoints,
  'webhook_endpoint.rotate_secret': rotateWebhookSecrets,
  'webhook_endpoint.delete': deleteWebhookEndpoints,
  'settings.update': updateSettings,
  'settings.set_logo': setLogos,
  'settings.remove_logo': removeLogos,
  'approval.propose': proposeApprovals,
  'approval.approve': approveApprovals,
  'approval.reject': rejectApprovals,
  'approval.expire': expireApprovals,
  'api_key.create': createApiKeys,
  'api_key.roll': rollKeys('api'),
  'api_key.revoke': revokeKeys('api'),
  'agent_key.create': createAgentKeys,
  'agent_key.roll': rollKeys('agent'),
  'agent_key.revoke': revokeKeys('agent'),
  'session.create': createSessions,
  'session.end': endSessions,
  'user.create': createUsers,
  'user.update': updateUsers,
  'user.deactivate': deactivateUsers,
} satisfies Record<string, unknown>;

/** Returns the handler of a command type for which {@link isKnownCommand} is true. */
export function getCommandHandler(type: string): CommandHandler<never> {
  return (handlers as Record<string, unknown>)[type] as CommandHandler<never>;
}

/** Whether this version can run commands of this type. */
export function isKnownCommand(type: string): boolean {
  return type === CANARY_TYPE || Object.hasOwn(handlers, type);
}

/** Commands of another version during a rolling upgrade or rollback. They must wait, not fail. */
export class UnknownCommandError extends Error {
  constructor(types: string[]) {
    super(`no handler for the commands ${types.join(', ')}`);
    this.name = 'UnknownCommandError';
  }
}
