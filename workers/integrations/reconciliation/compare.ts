import { createHash } from 'node:crypto';
import type { Change } from '../../../shared/integrations/contract/connection.js';
import type {
  DisputeState,
  PaymentState,
  RefundState,
} from '../../../shared/integrations/contract/payments.js';
import type { DescribedDifference } from '../differences/difference-issues.js';
import type { ComparedKind, OurRecord } from './our-records.js';

/** A record whose stored facts differ from the vendor's facts. */
interface Difference {
  kind: ComparedKind;
  externalId: string;
  ours: OurRecord | undefined;
  theirs: TheirRecord | undefined;
}

/** The vendor's facts about a record, with the status names of this service. */
interface TheirRecord {
  status: string;
  amount_cents: number;
  /** Names the invoice or payment to which the record belongs. */
  owner: string;
}

/**
 * Compares one record.
 * @param change the record at the vendor; undefined if the vendor does not know the record
 * @returns undefined if both sides agree
 */
export function compareRecord(
  kind: ComparedKind,
  externalId: string,
  { change, ours }: { change: Change<unknown> | undefined; ours: OurRecord | undefined },
): Difference | undefined {
  if (ours?.is_counted_otherwise) return undefined;
  const theirs = change && toTheirs(kind, change.fields);
  const isHere = ours !== undefined && ours.status !== 'failed';
  const isThere = theirs !== undefined && theirs.status !== 'failed';
  if (!isHere && !isThere) return undefined;
  const isEqual =
    isHere && isThere && ours.status === theirs.status && ours.amount_cents === theirs.amount_cents;
  return isEqual ? undefined : { kind, externalId, ours, theirs };
}

/**
 * Returns undefined for a payment without an invoice. Such a payment belongs to another program
 * that uses the same vendor account.
 */
function toTheirs(kind: ComparedKind, fields: unknown): TheirRecord | undefined {
  if (kind === 'payment') {
    const { invoiceId, status, amountCents } = fields as PaymentState;
    if (invoiceId === null) return undefined;
    // An open payment has moved no money, so it counts as failed.
    return {
      status: status === 'open' ? 'failed' : status,
      amount_cents: amountCents,
      owner: `invoice ${invoiceId}`,
    };
  }
  const { status, amountCents, paymentExternalId } = fields as RefundState | DisputeState;
  return { status, amount_cents: amountCents, owner: `payment ${paymentExternalId}` };
}

/** Describes a difference for people, with both sides. */
export function describeDifference(
  { kind, externalId, ours, theirs }: Difference,
  vendor: string,
): DescribedDifference {
  const sides = { ours: ours ? show(ours) : null, theirs: theirs ? show(theirs) : null };
  return {
    record_kind: kind,
    record_id: ours?.id ?? null,
    external_id: externalId,
    message: buildMessage({ kind, externalId, ours, theirs }, vendor),
    ...sides,
    digest: createHash('sha256').update(JSON.stringify(sides)).digest('base64url').slice(0, 22),
  };
}

const show = ({ status, amount_cents }: { status: string; amount_cents: number }) => ({
  status,
  amount_cents,
});

function buildMessage({ kind, externalId, ours, theirs }: Difference, vendor: string): string {
  const name = `${kind} ${externalId}`;
  if (!ours && theirs)
    return `${vendor} has the ${name} of ${state(theirs)}. It is not here, because the ${theirs.owner} is not here.`;
  if (!theirs && ours) return `The ${name} of ${state(ours)} is here. ${vendor} does not know it.`;
  return `The ${name} is ${ours && state(ours)} here, and ${theirs && state(theirs)} at ${vendor}.`;
}

function state({ status, amount_cents: cents }: { status: string; amount_cents: number }): string {
  return `$${(cents / 100).toFixed(2)} (${status})`;
}
