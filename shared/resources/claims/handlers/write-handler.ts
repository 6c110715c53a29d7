import type { Command, CommandOutcome } from '../../../contracts/command.js';
import type { ClaimCreate, ClaimPatch } from '../../../contracts/generated.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { diffNewRecord, diffPatch } from '../../../records/changes.js';
import { failedOutcome, notFoundOutcome } from '../../../records/outcomes.js';
import { type RecordRef, refKey, toRecordRef } from '../../../records/record-refs.js';
import { unknownReferenceOutcome } from '../../../records/references.js';
import { lockInvoices } from '../../invoices/handlers/lifecycle.js';
import { type BilledPartner, findBilledPartners } from '../../open-claims/release.js';
import { insertClaims } from '../../open-claims/store.js';
import { type ClaimRow, lockClaims, storeClaims } from '../claim-row.js';
import { claimFields } from '../fields.js';
import { CLAIM_MOVES } from '../transitions.js';

/** The invoice statuses in which nothing is owed. */
const CLOSED_STATUSES: readonly string[] = ['void', 'cancelled', 'paid'];

function invoiceRef({ tenantId, input }: Command<ClaimCreate>): RecordRef {
  return { tenant_id: tenantId, id: input.invoice_id };
}

/**
 * Creates claims. An invoice has one open claim at a time. A paid claim does not count as open, so
 * an amount that was refunded can be claimed again.
 */
export async function createClaims(
  tx: Transaction,
  commands: Command<ClaimCreate>[],
): Promise<CommandOutcome[]> {
  const invoices = await lockInvoices(tx, commands.map(invoiceRef));
  const refusalFor = (command: Command<ClaimCreate>): CommandOutcome | undefined => {
    const invoice = invoices.get(refKey(invoiceRef(command)));
    if (!invoice) return unknownReferenceOutcome('invoice_id', 'invoice');
    return CLOSED_STATUSES.includes(invoice.status)
      ? conflict(`The invoice is ${invoice.status}`)
      : undefined;
  };
  const partners = await findBilledPartners(tx, [...invoices.values()]);
  const rows = commands
    .filter((command) => !refusalFor(command))
    .map((command) => {
      const invoice = invoices.get(refKey(invoiceRef(command)));
      const balance = (invoice?.total_cents ?? 0) - (invoice?.paid_cents ?? 0);
      return {
        evidence: [],
        expected_cents: balance,
        po_number: invoice?.po_number,
        connection_id: findPartnerId(partners.get(refKey(invoiceRef(command)))),
        ...command.input,
        ...toRecordRef(command),
      };
    });
  const inserted = await insertClaims(tx, rows, {
    name: 'insert-claims',
    columns: `${claimFields.settable}, connection_id uuid`,
  });
  return commands.map((command): CommandOutcome => {
    const refusal = refusalFor(command);
    if (refusal) return refusal;
    if (!inserted.has(refKey(toRecordRef(command)))) return conflict('The invoice already has a claim');
    return {
      ok: true,
      changes: diffNewRecord(command.input as unknown as Record<string, unknown>),
      events: [],
    };
  });
}

/** A claim is sent to the billing partner of the invoice's customer, if there is one. */
function findPartnerId(partner: BilledPartner | undefined): string | null {
  return partner?.isConnected ? partner.connectionId : null;
}

function conflict(message: string): CommandOutcome {
  return failedOutcome({
    code: 'conflict',
    message: `${message}.`,
    details: [{ field: 'invoice_id', code: 'conflict', message }],
  });
}

/** Changes claims. A claim whose status is final can no longer change. */
export async function updateClaims(
  tx: Transaction,
  commands: Command<ClaimPatch>[],
): Promise<CommandOutcome[]> {
  const rows = await lockClaims(tx, commands.map(toRecordRef));
  const changed: ClaimRow[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const row = rows.get(refKey(toRecordRef(command)));
    if (!row) return notFoundOutcome('claim');
    const fields = command.input as Record<string, unknown>;
    const changes = diffPatch(row, fields);
    if (changes.length === 0) return { ok: true, changes, events: [] };
    if (CLAIM_MOVES[row.status].length === 0)
      return failedOutcome({
        code: 'conflict',
        message: `This claim is ${row.status} and can no longer be changed.`,
      });
    changed.push({ ...row, ...fields } as ClaimRow);
    return { ok: true, changes, events: [] };
  });
  await storeClaims(tx, changed);
  return outcomes;
}
