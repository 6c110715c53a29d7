import { defineCommand } from '../../contracts/command.js';
import type { RemittanceApply, RemittanceCreate, RemittanceDelete } from '../../contracts/generated.js';
import { remittanceApply, remittanceCreate, remittanceDelete } from './schema.js';

// The rights are those of recording a club's decision about one claim. No agent may submit these
// commands, because one remittance pays many invoices.

export const createRemittance = defineCommand<RemittanceCreate>({
  type: 'remittance.create',
  action: 'remittance.created',
  creates: true,
  schema: remittanceCreate,
  permission: 'write',
  conflictKeys: ({ payer, reference }) => [`remittance:${payer.toLowerCase()}/${reference.toLowerCase()}`],
});

/** Records the payments of all lines that match. */
export const applyRemittance = defineCommand<RemittanceApply>({
  type: 'remittance.apply',
  action: 'remittance.applied',
  schema: remittanceApply,
  permission: 'write',
});

/** Deletes a wrong import, as long as it has recorded no payment. */
export const deleteRemittance = defineCommand<RemittanceDelete>({
  type: 'remittance.delete',
  action: 'remittance.deleted',
  schema: remittanceDelete,
  permission: 'write',
});
