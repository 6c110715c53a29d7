import type { CommandHandler } from '../../shared/contracts/command.js';
import { createApiKeys, revokeApiKeys, rollApiKeys } from '../../shared/resources/api-keys/handlers.js';
import { moveClaims } from '../../shared/resources/claims/move-handler.js';
import { recordClaimOutcomes } from '../../shared/resources/claims/outcome-handler.js';
import { createClaims, updateClaims } from '../../shared/resources/claims/write-handler.js';
import { createCustomers, updateCustomers } from '../../shared/resources/customers/handlers.js';
import { createDrivers, updateDrivers } from '../../shared/resources/drivers/handlers.js';
import { createInspections, updateInspections } from '../../shared/resources/inspections/handlers.js';
import { createInvoices } from '../../shared/resources/invoices/create-handler.js';
import { moveInvoices } from '../../shared/resources/invoices/move-handler.js';
import { markInvoicesOverdue } from '../../shared/resources/invoices/overdue-handler.js';
import { updateInvoices } from '../../shared/resources/invoices/update-handler.js';
import { createPayments, refundPayments } from '../../shared/resources/payments/handlers.js';
import { updateSettings } from '../../shared/resources/settings/handlers.js';
import { createSuggestions, expireSuggestions } from '../../shared/resources/suggestions/create-handler.js';
import { acceptSuggestions, dismissSuggestions } from '../../shared/resources/suggestions/decide-handler.js';
import { createTrucks, updateTrucks } from '../../shared/resources/trucks/handlers.js';
import { createWorkOrders, updateWorkOrders } from '../../shared/resources/work-orders/handlers.js';
import { moveJobs } from '../../shared/resources/work-orders/move-handler.js';
import { logSteps } from '../../shared/resources/work-orders/step-handler.js';

/** The handler of each command type. A contract test checks that every defined command has one. */
export const handlers = {
  'invoice.create': createInvoices,
  'invoice.update': updateInvoices,
  'invoice.approve': moveInvoices('approve'),
  'invoice.send': moveInvoices('send'),
  'invoice.return': moveInvoices('return'),
  'invoice.dispute': moveInvoices('dispute'),
  'invoice.resolve': moveInvoices('resolve'),
  'invoice.cancel': moveInvoices('cancel'),
  'invoice.void': moveInvoices('void'),
  'invoice.mark_overdue': markInvoicesOverdue,
  'work_order.create': createWorkOrders,
  'work_order.update': updateWorkOrders,
  'work_order.accept': moveJobs('accept'),
  'work_order.assign': moveJobs('assign'),
  'work_order.unassign': moveJobs('unassign'),
  'work_order.start': moveJobs('start'),
  'work_order.step': logSteps,
  'work_order.complete': moveJobs('complete'),
  'work_order.cancel': moveJobs('cancel'),
  'work_order.reopen': moveJobs('reopen'),
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
  'settings.update': updateSettings,
  'api_key.create': createApiKeys,
  'api_key.roll': rollApiKeys,
  'api_key.revoke': revokeApiKeys,
} satisfies Record<string, unknown>;

/** @throws {Error} for a type that this version does not know: the job is retried until a newer worker takes it. */
export function handlerOf(type: string): CommandHandler<never> {
  const handler = (handlers as Record<string, unknown>)[type];
  if (!handler) throw new UnknownCommandError(type);
  return handler as CommandHandler<never>;
}

/** A command of a version that is being rolled out (or back). It must wait, not fail. */
export class UnknownCommandError extends Error {
  constructor(type: string) {
    super(`no handler for the command ${type}`);
    this.name = 'UnknownCommandError';
  }
}
