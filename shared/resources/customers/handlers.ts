import type { Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { CustomerCreate, CustomerPatch } from '../../contracts/generated.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { diffNewRecord } from '../../records/changes.js';
import { insertRecords, updateRecords } from '../../records/fields/store-fields.js';
import { toRecordRef } from '../../records/record-refs.js';
import { refuseUnknownReferences } from '../../records/references.js';
import { prepareAutopay } from '../autopay/prepare-autopay.js';
import { bookCustomers } from '../books/store.js';
import { refuseUnknownPartners } from '../open-claims/partners.js';
import { customerFields } from './fields.js';
import { customerTable } from './table.js';

const CUSTOMERS = { table: customerTable, fields: customerFields };

/** Creates customers. The default company_type is `other` (docs/decisions.md §2). */
export async function createCustomers(
  tx: Transaction,
  commands: Command<CustomerCreate>[],
): Promise<CommandOutcome[]> {
  const refused = await refuseUnknownReferences(tx, commands, customerFields.references);
  const rows = commands
    .filter((command) => !refused.has(command))
    .map((command) => ({
      company_type: 'other',
      tax_exempt: false,
      ...command.input,
      is_active: true,
      ...toRecordRef(command),
    }));
  await insertRecords(tx, CUSTOMERS, rows);
  return commands.map(
    (command) => refused.get(command) ?? { ok: true, changes: diffNewRecord(command.input), events: [] },
  );
}

export async function updateCustomers(
  tx: Transaction,
  commands: Command<CustomerPatch>[],
): Promise<CommandOutcome[]> {
  const { refused, commands: prepared } = await prepareAutopay(tx, commands, {
    table: 'customers',
    getCustomerId: (_command, row) => row?.id,
  });
  const unknown = await refuseUnknownPartners(tx, prepared);
  const accepted = prepared.filter(({ id }) => !unknown.has(id));
  const outcomes = await updateRecords(tx, accepted, CUSTOMERS);
  await bookCustomers(
    tx,
    accepted.flatMap((command, index) => {
      const outcome = outcomes[index];
      const isChanged = outcome?.ok === true && outcome.changes.length > 0;
      return isChanged ? [{ ...toRecordRef(command), actor: command.actor }] : [];
    }),
  );
  const byId = new Map(accepted.map(({ id }, index) => [id, outcomes[index]]));
  return commands.map(({ id }) => (refused.get(id) ?? unknown.get(id) ?? byId.get(id)) as CommandOutcome);
}

export const customerHandlers: CommandHandlers = {
  'customer.create': createCustomers,
  'customer.update': updateCustomers,
};
