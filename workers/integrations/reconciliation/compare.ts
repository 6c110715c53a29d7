import { createHash } from 'node:crypto';
import type { Change } from '../../../shared/integrations/contract/connection.js';
import type {
  DisputeState,
  PaymentState,
  RefundState,
} from '../../../shared/integrations/contract/payments.js';
import type { SyncDifferenceOpening } from '../../../shared/resources/sync-issues/commands.js';
import type { ComparedKind, OurRecord } from './our-records.js';

/** A record that differs here and at the vendor. */
interface Difference {
  kind: ComparedKind;
  externalId: string;
  ours: OurRecord | undefined;
  theirs: TheirRecord | undefined;
}

/** What the vendor knows about a record, in our words. */
interface TheirRecord {
  status: string;
  amount_cents: number;
  /** What the record belongs to, if this is not here. */
  owner: string;
}

/**
 * Compares one record.
 * @param change what the vendor returned; undefined if the vendor does not know the record
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

/** Returns undefined if the record is none of ours. */
function toTheirs(kind: ComparedKind, fields: unknown): TheirRecord | undefined {
  if (kind === 'payment') {
    const { invoiceId, status, amountCents } = fields as PaymentState;
    if (invoiceId === null) return undefined;
    // A payment that is still open has moved no money, as one that has failed.
    return {
      status: status === 'open' ? 'failed' : status,
      amount_cents: amountCents,
      owner: `invoice ${invoiceId}`,
    };
  }
  const { status, amountCents, paymentExternalId } = fields as RefundState | DisputeState;
  return { status, amount_cents: amountCents, owner: `payment ${paymentExternalId}` };
}

/** A difference as a sync issue shows it. */
export type DescribedDifference = Omit<SyncDifferenceOpening, 'connection_id'>;

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
