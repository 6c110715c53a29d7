import type { CommandHandler } from '../../shared/contracts/command.js';
import { createApiKeys, revokeApiKeys, rollApiKeys } from '../../shared/resources/api-keys/handlers.js';
import { createCustomers, updateCustomers } from '../../shared/resources/customers/handlers.js';
import { createInvoices } from '../../shared/resources/invoices/create-handler.js';
import { updateInvoices } from '../../shared/resources/invoices/update-handler.js';
import { createWorkOrders, updateWorkOrders } from '../../shared/resources/work-orders/handlers.js';

/** The handler of each command type. A contract test checks that every defined command has one. */
export const handlers = {
  'invoice.create': createInvoices,
  'invoice.update': updateInvoices,
  'work_order.create': createWorkOrders,
  'work_order.update': updateWorkOrders,
  'customer.create': createCustomers,
  'customer.update': updateCustomers,
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
