import { defineCommand } from '../../contracts/command.js';
import type { CustomerCreate, CustomerPatch } from '../../contracts/generated.js';
import { customerCreate, customerPatch } from './schema.js';

// Agents cannot submit these commands, because no agent scope of the specification covers writing
// customers (docs/decisions.md §1, row 14).
export const createCustomer = defineCommand<CustomerCreate>({
  type: 'customer.create',
  action: 'customer.created',
  creates: true,
  schema: customerCreate,
  permission: 'write',
});

export const updateCustomer = defineCommand<CustomerPatch>({
  type: 'customer.update',
  action: 'customer.updated',
  schema: customerPatch,
  permission: 'write',
  // Autopay takes money without further approval, and billing_connection_id decides who gets the
  // invoices. So setting one of them needs the permission `approve`.
  permissionFor: ({ autopay, billing_connection_id }) =>
    autopay === undefined && billing_connection_id === undefined ? 'write' : 'approve',
});
