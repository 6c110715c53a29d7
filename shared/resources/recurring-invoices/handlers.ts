import type { Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type {
  RecurringInvoiceCreate,
  RecurringInvoiceEnd,
  RecurringInvoicePatch,
} from '../../contracts/generated.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { AccountQuota, type AccountQuotaRule } from '../../records/account-quota.js';
import { diffNewRecord } from '../../records/changes.js';
import { refKey, toRecordRef } from '../../records/record-refs.js';
import { refuseUnknownReferences } from '../../records/references.js';
import type { Autopay } from '../autopay/autopay-field.js';
import { prepareAutopay } from '../autopay/prepare-autopay.js';
import { recurringInvoiceFields } from './fields.js';
import { addLineTotals, invalidOutcome, planNextDate, planUpdate, readFacts } from './plan.js';
import {
  insertRecurringInvoices,
  lockRecurringInvoices,
  type RecurringInvoiceRow,
  storeRecurringInvoices,
} from './recurring-invoice-rows.js';
import { runRecurringInvoices } from './run-handler.js';
import { MAX_RECURRING_INVOICES } from './vocabulary.js';

const QUOTA: AccountQuotaRule = {
  table: 'recurring_invoices',
  countedRows: `t.status <> 'ended'`,
  maxRecords: MAX_RECURRING_INVOICES,
  refusalMessage: `An account has ${MAX_RECURRING_INVOICES} recurring invoices at most, without those that have ended. End one that you no longer need.`,
};

type Handler<Input> = (tx: Transaction, commands: Command<Input>[]) => Promise<CommandOutcome[]>;

/** Checks the autopay of commands before `handler` runs them. */
function withAutopay<Input extends RecurringInvoicePatch>(handler: Handler<Input>): Handler<Input> {
  return async (tx, commands) => {
    const { refused, commands: accepted } = await prepareAutopay<
      Command<Input>,
      RecurringInvoiceRow & { autopay: Autopay | null }
    >(tx, commands, {
      table: 'recurring_invoices',
      getCustomerId: ({ input }, row) => row?.customer_id ?? (input as { customer_id?: string }).customer_id,
    });
    const outcomes = await handler(tx, accepted);
    const byId = new Map(accepted.map(({ id }, index) => [id, outcomes[index]]));
    return commands.map(({ id }) => (refused.get(id) ?? byId.get(id)) as CommandOutcome);
  };
}

async function createRecurringInvoices(
  tx: Transaction,
  commands: Command<RecurringInvoiceCreate>[],
): Promise<CommandOutcome[]> {
  const quota = await AccountQuota.load(tx, commands, QUOTA);
  const refused = await refuseUnknownReferences(tx, commands, recurringInvoiceFields.references);
  const facts = await readFacts(
    tx,
    commands.map((command) => ({ command, customerId: command.input.customer_id })),
  );
  const rows: object[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const input = {
      release: 'draft',
      ...command.input,
      line_items: addLineTotals(command.input.line_items),
    };
    const planned = planNextDate(command, { ...input, last_date: null }, { facts });
    const unknown = refused.get(command);
    if ('details' in planned) {
      const ofReferences = unknown && !unknown.ok ? (unknown.error.details ?? []) : [];
      return invalidOutcome([...ofReferences, ...planned.details] as typeof planned.details);
    }
    const refusal = unknown ?? quota.reserve(command.tenantId);
    if (refusal) return refusal;
    rows.push({ ...input, ...toRecordRef(command), status: 'active', next_date: planned.next });
    return { ok: true, changes: diffNewRecord({ ...input, next_date: planned.next }), events: [] };
  });
  await insertRecurringInvoices(tx, rows);
  return outcomes;
}

async function updateRecurringInvoices(
  tx: Transaction,
  commands: Command<RecurringInvoicePatch>[],
): Promise<CommandOutcome[]> {
  const rows = await lockRecurringInvoices(tx, commands);
  const facts = await readFacts(
    tx,
    commands.flatMap((command) => {
      const row = rows.get(refKey(toRecordRef(command)));
      return row ? [{ command, customerId: row.customer_id }] : [];
    }),
  );
  const changed: RecurringInvoiceRow[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const planned = planUpdate(command, rows.get(refKey(toRecordRef(command))), facts);
    if ('ok' in planned) return planned;
    changed.push(planned.row);
    return { ok: true, changes: planned.changes, events: [] };
  });
  await storeRecurringInvoices(tx, changed);
  return outcomes;
}

/** Ends recurring invoices. A recurring invoice that has already ended stays unchanged. */
function endRecurringInvoices(
  tx: Transaction,
  commands: Command<RecurringInvoiceEnd>[],
): Promise<CommandOutcome[]> {
  return updateRecurringInvoices(
    tx,
    commands.map((command) => ({ ...command, input: { status: 'ended' } })),
  );
}

export const recurringInvoiceHandlers: CommandHandlers = {
  'recurring_invoice.create': withAutopay(createRecurringInvoices),
  'recurring_invoice.update': withAutopay(updateRecurringInvoices),
  'recurring_invoice.end': endRecurringInvoices,
  'recurring_invoice.run': runRecurringInvoices,
};
