import type { Change, CommandOutcome, Prompt } from '../../contracts/command.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { diffPatch } from '../../records/changes.js';
import { lockRecords } from '../../records/lock-records.js';
import { failedOutcome } from '../../records/outcomes.js';
import type { RecordRef } from '../../records/record-refs.js';
import { applyMove, type InvoiceRow, mayMove } from '../invoices/handlers/lifecycle.js';
import type { Mover } from '../invoices/transitions.js';
import { type ClaimVerb, promptPartner, updateClaimRows } from '../open-claims/store.js';
import { claimFields } from './fields.js';
import { type ClaimStatus, type InvoiceStep, listClaimMoves, listNextClaimStatuses } from './transitions.js';

export interface Evidence {
  kind: string;
  url: string;
  note: string | null;
}

export interface ClaimRow extends Row, RecordRef {
  invoice_id: string;
  club: string;
  po_number: string | null;
  status: ClaimStatus;
  status_reason: string | null;
  submitted_at: string | null;
  submit_by: string;
  respond_by: string | null;
  denial_code: string | null;
  denial_reason: string | null;
  attempt: number;
  expected_cents: number;
  paid_cents: number;
  evidence: Evidence[];
  connection_id: string | null;
}

export function lockClaims(tx: Transaction, refs: RecordRef[]): Promise<Map<string, ClaimRow>> {
  return lockRecords<ClaimRow>(tx, 'claims', refs);
}

/**
 * Returns a 409 error for a status change that is not allowed.
 * @param reason why a check forbids the change; undefined if the transition table forbids it
 */
export function illegalClaimMove(row: ClaimRow, to: ClaimStatus, reason?: string): CommandOutcome {
  return failedOutcome({
    code: 'invalid_status_transition',
    message: reason ?? `A claim cannot go from ${row.status} to ${to} by this request.`,
    details: [
      {
        field: 'status',
        from: row.status,
        to,
        allowed: listNextClaimStatuses(row.status),
        ...(reason ? { reason } : {}),
      },
    ],
  });
}

/**
 * Collects the changes that a command makes to a claim and to the claim's invoice. Claim and
 * invoice may each move through several statuses.
 */
export class ClaimChangeSet {
  readonly changes: Change[] = [];
  /** The writes at the billing partner that follow from the command. */
  readonly operations: ClaimVerb[] = [];

  /** @param isConnected false if the claim has no billing partner, or if it is disconnected */
  constructor(
    public row: ClaimRow,
    public invoice: InvoiceRow,
    private readonly facts: { now: string; isConnected: boolean },
  ) {}

  /** True if the claim is sent to a billing partner, even to one that is disconnected. */
  get hasPartner(): boolean {
    return this.row.connection_id !== null;
  }

  get isConnected(): boolean {
    return this.facts.isConnected;
  }

  get prompts(): Prompt[] {
    return this.operations.length > 0 ? [promptPartner(this.row.connection_id as string)] : [];
  }

  get isInvoiceChanged(): boolean {
    return this.changes.some(({ field }) => field.startsWith('invoice.'));
  }

  /**
   * Lets the worker write at the billing partner. A claim is withdrawn even after a disconnection:
   * by the connection that replaced it, or else by a person, whom the worker asks.
   */
  queueOperation(verb: ClaimVerb): void {
    if (this.isConnected || (verb === 'withdraw' && this.hasPartner)) this.operations.push(verb);
  }

  canMove(to: ClaimStatus, by: Mover): boolean {
    return listClaimMoves(this.row.status, by).includes(to);
  }

  /**
   * Moves the claim to another status, and sets fields.
   * @throws {Error} if the transition table has no such move; callers check first
   */
  move(to: ClaimStatus, by: Mover, fields: Partial<ClaimRow> = {}): void {
    if (!this.canMove(to, by))
      throw new Error(`a claim may not go from ${this.row.status} to ${to} by ${by}`);
    this.changes.push({ field: 'status', from: this.row.status, to });
    this.set(fields);
    this.row = { ...this.row, status: to };
  }

  set(fields: Partial<ClaimRow>): void {
    for (const [field, to] of Object.entries(fields))
      if (this.row[field] !== to) this.changes.push({ field, from: this.row[field] ?? null, to: to ?? null });
    this.row = { ...this.row, ...fields } as ClaimRow;
  }

  /** Sets fields that say how the invoice was sent. {@link moveInvoice} sets its status. */
  setInvoice(fields: Partial<Pick<InvoiceRow, 'delivery_state' | 'sent_at' | 'released_as'>>): void {
    const changed = diffPatch(this.invoice, fields);
    this.changes.push(...changed.map((change) => ({ ...change, field: `invoice.${change.field}` })));
    this.invoice = { ...this.invoice, ...fields };
  }

  /**
   * Limits the expected amount to the amount that the customer owes now. Since the expected amount
   * was set, line items may have changed and payments may have arrived.
   */
  limitExpectedToOwed(): void {
    const { total_cents: total, paid_cents: paid } = this.invoice;
    const owed = Math.max(0, total - paid) + this.row.paid_cents;
    this.set({ expected_cents: Math.min(this.row.expected_cents, owed) });
  }

  /**
   * Moves the invoice through the steps. `reason` is the reason of the last status.
   * @throws {Error} if the invoice transition table has no such step
   */
  moveInvoice(steps: readonly InvoiceStep[], reason?: string): void {
    for (const { to, by } of steps) {
      if (!mayMove(this.invoice, to, by))
        throw new Error(`an invoice may not go from ${this.invoice.status} to ${to} by ${by}`);
      const moved = applyMove(this.invoice, to, { now: this.facts.now, reason });
      this.invoice = moved.row;
      this.changes.push(...moved.changes.map((change) => ({ ...change, field: `invoice.${change.field}` })));
    }
  }
}

const UPDATED_COLUMNS = `${claimFields.changeable}, status text, status_reason text, submitted_at timestamptz, respond_by timestamptz,
  denial_code text, denial_reason text, attempt integer, paid_cents bigint`;

export const storeClaims = (tx: Transaction, rows: readonly ClaimRow[]): Promise<void> =>
  updateClaimRows(tx, rows, UPDATED_COLUMNS);
