import type { Command, CommandResult } from '../../../shared/contracts/command.js';

/**
 * The members of a record that the model predicts. They are enough to distinguish records and to
 * notice changes.
 */
export type RecordView = Record<string, unknown>;

export type ExpectedResult =
  | { ok: true; status: number; replayed: boolean; location: string | null; record: RecordView }
  | { ok: false; code: string };

interface LineItem {
  quantity: number;
  unit_price_cents: number;
  taxable: boolean;
}

interface Input {
  invoice_number?: string;
  company_name?: string;
  service_type?: string;
  customer_id?: string;
  notes?: string;
  address?: string;
  po_number?: string;
  line_items?: LineItem[];
}

/** A text that makes a command fail, because the test adds a constraint that refuses this text. */
export const REFUSED_TEXT = 'boom';

/**
 * Predicts the results of writes. It applies one command after the other to maps, without batches,
 * transactions or SQL. The product's batches must return the predicted results and leave the
 * predicted records.
 */
export class WriteModel {
  readonly records = new Map<string, RecordView>();
  /**
   * The commands that ran, by command id. Each must have exactly one audit entry with this outcome.
   */
  readonly ran = new Map<string, { tenantId: string; outcome: 'ok' | 'failed' }>();
  /**
   * The tenant's id for each created work order. A tenant with several work orders occurs several
   * times.
   */
  readonly booked: string[] = [];
  private readonly numbers = new Set<string>();
  private readonly results = new Map<string, ExpectedResult>();
  private readonly idempotencyRecords = new Map<string, { command: Command; result: ExpectedResult }>();

  /** @param taxRatesBps tax rates in basis points, by tenant id */
  constructor(private readonly taxRatesBps: Map<string, number>) {}

  /**
   * Applies a command, and returns the result that the product must return for it. If the same
   * command is applied again, nothing changes.
   */
  apply(command: Command): ExpectedResult {
    const own = this.results.get(command.id);
    if (own && !own.ok) return own;
    const storedRecord = this.idempotencyRecords.get(`${command.tenantId} ${command.idempotency?.key}`);
    if (storedRecord) return this.replay(command, storedRecord);
    if (own) return { ...own, record: this.records.get(buildRecordKey(command)) as RecordView };
    const result = this.run(command);
    this.results.set(command.id, result);
    this.ran.set(command.id, { tenantId: command.tenantId, outcome: result.ok ? 'ok' : 'failed' });
    if (result.ok && command.idempotency) {
      this.idempotencyRecords.set(`${command.tenantId} ${command.idempotency.key}`, { command, result });
    }
    return result;
  }

  private replay(
    command: Command,
    { command: first, result }: { command: Command; result: ExpectedResult },
  ): ExpectedResult {
    const parts = ['method', 'path', 'bodyHash'] as const;
    const isSame = parts.every((part) => first.idempotency?.[part] === command.idempotency?.[part]);
    if (!isSame || !result.ok) return { ok: false, code: 'idempotency_key_reused' };
    return { ...result, replayed: first.id !== command.id };
  }

  private run(command: Command): ExpectedResult {
    const creates = command.type.endsWith('.create');
    const current = this.records.get(buildRecordKey(command));
    const input = command.input as Input;
    if (!creates && !current) return { ok: false, code: 'not_found' };
    if (input.customer_id && !this.records.has(`${command.tenantId} customer ${input.customer_id}`)) {
      return { ok: false, code: 'validation_error' };
    }
    if (input.notes === REFUSED_TEXT || input.address === REFUSED_TEXT)
      return { ok: false, code: 'internal_error' };
    if (creates && input.invoice_number !== undefined) {
      const number = `${command.tenantId} ${input.invoice_number.toLowerCase()}`;
      if (this.numbers.has(number)) return { ok: false, code: 'duplicate_invoice_number' };
      this.numbers.add(number);
    }
    if (command.type === 'work_order.create') this.booked.push(command.tenantId);
    const record = { ...(current ?? createBlank(command)), ...this.fieldsOf(command) };
    this.records.set(buildRecordKey(command), record);
    const location = creates ? `${buildCollectionPath(command)}/${command.entityId}` : null;
    return { ok: true, status: creates ? 201 : 200, replayed: false, location, record };
  }

  private fieldsOf({ tenantId, input, type }: Command): RecordView {
    const { line_items: lineItems, ...fields } = input as Input;
    if (!type.startsWith('invoice') || (lineItems === undefined && !type.endsWith('create'))) return fields;
    const total = (some: LineItem[]) =>
      some.reduce((sum, lineItem) => sum + lineItem.quantity * lineItem.unit_price_cents, 0);
    const subtotal = total(lineItems ?? []);
    const tax = Math.round(
      (total((lineItems ?? []).filter((lineItem) => lineItem.taxable)) *
        (this.taxRatesBps.get(tenantId) ?? 0)) /
        10_000,
    );
    return {
      ...fields,
      subtotal_cents: subtotal,
      tax_cents: tax,
      total_cents: subtotal + tax,
      line_count: (lineItems ?? []).length,
    };
  }
}

const BLANK: Record<string, RecordView> = {
  invoice: { notes: null, po_number: null, customer_id: null },
  customer: { address: null },
  work_order: { notes: null, customer_id: null },
};

function getEntity(command: Command): string {
  return command.type.split('.')[0] as string;
}

function createBlank(command: Command): RecordView {
  return { id: command.entityId, ...BLANK[getEntity(command)] };
}

function buildCollectionPath(command: Command): string {
  return `/${getEntity(command).replace('_', '-')}s`;
}

function buildRecordKey(command: Command): string {
  return `${command.tenantId} ${getEntity(command)} ${command.entityId}`;
}

export function pickMembers(body: string, members: string[]): RecordView {
  const record = JSON.parse(body) as RecordView;
  const known = { ...record, line_count: (record.line_items as unknown[] | undefined)?.length };
  return Object.fromEntries(members.map((member) => [member, (known as RecordView)[member]]));
}

/**
 * Converts the product's result to the model's form, with only the members that `expected` has. A
 * test can then compare the two.
 */
export function toExpectedResult(result: CommandResult, expected: ExpectedResult): ExpectedResult {
  if (!result.ok) return { ok: false, code: result.error.code };
  const record = pickMembers(result.body, expected.ok ? Object.keys(expected.record) : []);
  return { ok: true, status: result.status, replayed: result.replayed, location: result.location, record };
}
