import type { Command, CommandResult } from '../../shared/contracts/command.js';

/** What is observed of a record: enough to tell one from another and to see each change. */
export type View = Record<string, unknown>;

export type Expected =
  | { ok: true; status: number; replayed: boolean; location: string | null; record: View }
  | { ok: false; code: string };

interface Line {
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
  line_items?: Line[];
}

/** The text that the test's own constraint refuses. */
export const BOOM = 'boom';

/**
 * What writes do, told in the simplest way: one command after the other, in maps. No sets, waves, transactions or SQL; the product's batches must
 * come to the same answers and the same records.
 */
export class WriteModel {
  readonly records = new Map<string, View>();
  /** Ids of the commands that ran, each of which owes exactly one audit entry, with its outcome there. */
  readonly ran = new Map<string, { tenantId: string; outcome: 'ok' | 'failed' }>();
  /** Ids of the commands that made a work order, by tenant. */
  readonly booked: string[] = [];
  private readonly numbers = new Set<string>();
  private readonly answers = new Map<string, Expected>();
  private readonly kept = new Map<string, { command: Command; answer: Expected }>();

  /** @param taxRatesBps by tenant */
  constructor(private readonly taxRatesBps: Map<string, number>) {}

  /** The answer that a command must get now. Asked again, the same command changes nothing. */
  apply(command: Command): Expected {
    const own = this.answers.get(command.id);
    if (own && !own.ok) return own;
    const kept = this.kept.get(`${command.tenantId} ${command.idempotency?.key}`);
    if (kept) return this.replay(command, kept);
    if (own) return { ...own, record: this.records.get(keyOf(command)) as View };
    const answer = this.run(command);
    this.answers.set(command.id, answer);
    this.ran.set(command.id, { tenantId: command.tenantId, outcome: answer.ok ? 'ok' : 'failed' });
    if (answer.ok && command.idempotency) {
      this.kept.set(`${command.tenantId} ${command.idempotency.key}`, { command, answer });
    }
    return answer;
  }

  private replay(
    command: Command,
    { command: first, answer }: { command: Command; answer: Expected },
  ): Expected {
    const parts = ['method', 'path', 'bodyHash'] as const;
    const isSame = parts.every((part) => first.idempotency?.[part] === command.idempotency?.[part]);
    if (!isSame || !answer.ok) return { ok: false, code: 'idempotency_key_reused' };
    return { ...answer, replayed: first.id !== command.id };
  }

  private run(command: Command): Expected {
    const creates = command.type.endsWith('.create');
    const current = this.records.get(keyOf(command));
    const input = command.input as Input;
    if (!creates && !current) return { ok: false, code: 'not_found' };
    if (input.customer_id && !this.records.has(`${command.tenantId} customer ${input.customer_id}`)) {
      return { ok: false, code: 'validation_error' };
    }
    if (input.notes === BOOM || input.address === BOOM) return { ok: false, code: 'internal_error' };
    if (creates && input.invoice_number !== undefined) {
      const number = `${command.tenantId} ${input.invoice_number.toLowerCase()}`;
      if (this.numbers.has(number)) return { ok: false, code: 'duplicate_invoice_number' };
      this.numbers.add(number);
    }
    if (command.type === 'work_order.create') this.booked.push(command.tenantId);
    const record = { ...(current ?? blankOf(command)), ...this.fieldsOf(command) };
    this.records.set(keyOf(command), record);
    const location = creates ? `${collectionOf(command)}/${command.entityId}` : null;
    return { ok: true, status: creates ? 201 : 200, replayed: false, location, record };
  }

  private fieldsOf({ tenantId, input, type }: Command): View {
    const { line_items: lines, ...fields } = input as Input;
    if (!type.startsWith('invoice') || (lines === undefined && !type.endsWith('create'))) return fields;
    const total = (some: Line[]) =>
      some.reduce((sum, line) => sum + line.quantity * line.unit_price_cents, 0);
    const subtotal = total(lines ?? []);
    const tax = Math.round(
      (total((lines ?? []).filter((line) => line.taxable)) * (this.taxRatesBps.get(tenantId) ?? 0)) / 10_000,
    );
    return {
      ...fields,
      subtotal_cents: subtotal,
      tax_cents: tax,
      total_cents: subtotal + tax,
      line_count: (lines ?? []).length,
    };
  }
}

const BLANK: Record<string, View> = {
  invoice: { notes: null, po_number: null, customer_id: null },
  customer: { address: null },
  work_order: { notes: null, customer_id: null },
};

function entityOf(command: Command): string {
  return command.type.split('.')[0] as string;
}

function blankOf(command: Command): View {
  return { id: command.entityId, ...BLANK[entityOf(command)] };
}

function collectionOf(command: Command): string {
  return `/${entityOf(command).replace('_', '-')}s`;
}

function keyOf(command: Command): string {
  return `${command.tenantId} ${entityOf(command)} ${command.entityId}`;
}

/** The members of a record's JSON that the model knows. */
export function viewOf(body: string, members: string[]): View {
  const record = JSON.parse(body) as View;
  const known = { ...record, line_count: (record.line_items as unknown[] | undefined)?.length };
  return Object.fromEntries(members.map((member) => [member, (known as View)[member]]));
}

/** A result as the model would put it, so that the two can be compared whole. */
export function asExpected(result: CommandResult, expected: Expected): Expected {
  if (!result.ok) return { ok: false, code: result.error.code };
  const record = viewOf(result.body, expected.ok ? Object.keys(expected.record) : []);
  return { ok: true, status: result.status, replayed: result.replayed, location: result.location, record };
}
