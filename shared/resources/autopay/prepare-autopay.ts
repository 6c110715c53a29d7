import type { Command, CommandOutcome } from '../../contracts/command.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { lockRecords } from '../../records/lock-records.js';
import { type RecordRef, refKey, toRecordRef } from '../../records/record-refs.js';
import { invalidReferencesOutcome } from '../../records/references.js';
import type { Autopay, AutopayInput } from './autopay-field.js';

/** The columns of a payment method that decide whether autopay may use it. */
interface MethodRow extends Row, RecordRef {
  customer_id: string;
  status: string;
}

/** A stored record that may have autopay. */
interface PayingRow extends Row, RecordRef {
  autopay: Autopay | null;
}

interface PreparedCommands<C> {
  /** Outcomes of the refused commands, by command id. */
  refused: Map<string, CommandOutcome>;
  /**
   * The commands that were not refused. Their autopay has `since`: the time from which it applies.
   */
  commands: C[];
}

/**
 * Refuses the commands whose autopay names a payment method that cannot be charged, or that belongs
 * to another customer.
 * Autopay applies to invoices that are sent from now on. If the record already has autopay, its
 * `since` stays unchanged, so that no invoice is left out.
 * @param table the table of the records that the commands create or change
 * @param getCustomerId returns the id of the customer who pays; `row` is the stored record, if it
 * exists
 */
export async function prepareAutopay<
  C extends Command<{ autopay?: AutopayInput | null | undefined }>,
  R extends PayingRow,
>(
  tx: Transaction,
  commands: C[],
  {
    table,
    getCustomerId,
  }: { table: string; getCustomerId: (command: C, row: R | undefined) => string | undefined },
): Promise<PreparedCommands<C>> {
  const setting = commands.filter(({ input }) => input.autopay);
  const refused = new Map<string, CommandOutcome>();
  if (setting.length === 0) return { refused, commands };
  const rows = await lockRecords<R>(tx, table, setting.map(toRecordRef));
  const methods = await lockRecords<MethodRow>(tx, 'saved_methods', setting.map(toMethodRef));
  const now = new Date().toISOString();
  const prepared = commands.map((command): C => {
    const row = rows.get(refKey(toRecordRef(command)));
    const { autopay } = command.input;
    const customerId = getCustomerId(command, row);
    // Pass the command on unchanged. If its record does not exist, the handler answers with 404.
    if (!autopay || customerId === undefined) return command;
    const message = explain(methods.get(refKey(toMethodRef(command))), customerId);
    if (message !== undefined)
      refused.set(
        command.id,
        invalidReferencesOutcome([{ field: 'autopay.payment_method_id', code: 'unknown', message }]),
      );
    const since = row?.autopay?.since ?? now;
    return { ...command, input: { ...command.input, autopay: { ...autopay, since } } };
  });
  return { refused, commands: prepared.filter(({ id }) => !refused.has(id)) };
}

function toMethodRef({ tenantId, input }: Command<{ autopay?: AutopayInput | null | undefined }>): RecordRef {
  return { tenant_id: tenantId, id: input.autopay?.payment_method_id ?? '' };
}

function explain(method: MethodRow | undefined, customerId: string): string | undefined {
  if (method?.customer_id !== customerId)
    return 'autopay.payment_method_id is not a payment method of this customer';
  if (method.status === 'active') return undefined;
  return `autopay.payment_method_id must be an active payment method; this one is ${method.status}`;
}
