import type { Config } from '../../config/config.js';
import { newId } from '../../platform/ids.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { type RecordRef, recordsetSql, refKey } from '../../records/record-refs.js';
import { type FollowingFields, refreshWaitingClaims } from './refresh.js';
import { insertClaimOperations, insertClaims } from './store.js';

/**
 * A regular expression, quoted for SQL, that finds a PO (purchase order) number in the notes of a
 * work order.
 */
export const PO_IN_NOTES_PATTERN = "'(?i)\\mPO\\s*[-#:]?\\s*([0-9][A-Za-z0-9-]{2,31})'";

/** Maximum number of photos in the evidence of a claim. */
const MAX_PHOTOS = 50;

/** The partner that bills an invoice's customer, or that has the invoice's open claim. */
export interface BilledPartner {
  connectionId: string;
  /** False if only the open claim names the partner, because the customer has none any more. */
  isCustomers: boolean;
  isConnected: boolean;
  /** True if the customer has an email or a phone number. */
  hasContact: boolean;
  club: string;
  poNumber: string | null;
  photos: string[];
  /** The open claim of the invoice. */
  claim: { id: string; status: string; connection_id: string | null } | null;
}

interface PartnerRow
  extends RecordRef,
    Omit<BilledPartner, 'connectionId' | 'isCustomers' | 'isConnected' | 'hasContact' | 'poNumber'> {
  connection_id: string;
  is_customers: boolean;
  is_connected: boolean;
  has_contact: boolean;
  po_number: string | null;
}

/**
 * Finds the invoices whose customer is billed through a partner, or whose open claim is.
 * @returns the partners by the {@link refKey} of the invoice
 */
export async function findBilledPartners(
  tx: Transaction,
  invoices: readonly RecordRef[],
): Promise<Map<string, BilledPartner>> {
  if (invoices.length === 0) return new Map();
  const rows = await tx.query<PartnerRow>({
    name: 'find-billed-partners',
    text: `select i.tenant_id, i.id, coalesce(c.billing_connection_id, m.connection_id) as connection_id, c.company_name as club,
             c.billing_connection_id is not null as is_customers,
             exists (select from connections k where k.tenant_id = c.tenant_id and k.id = c.billing_connection_id
               and k.kind = 'motor_club' and k.status <> 'revoked') as is_connected,
             c.billing_email is not null or c.primary_phone is not null as has_contact,
             coalesce(i.po_number, (select substring(w.notes from ${PO_IN_NOTES_PATTERN}) from work_orders w
               where w.tenant_id = i.tenant_id and w.id = i.work_order_id)) as po_number,
             array(select p.id from work_order_photos p where p.tenant_id = i.tenant_id and p.work_order_id = i.work_order_id
               and p.deleted_at is null order by p.id desc limit ${MAX_PHOTOS}) as photos,
             case when m.id is not null then json_build_object('id', m.id, 'status', m.status, 'connection_id', m.connection_id) end as claim
           from ${recordsetSql('tenant_id uuid, id uuid')} join invoices i on i.tenant_id = r.tenant_id and i.id = r.id
           left join customers c on c.tenant_id = i.tenant_id and c.id = i.customer_id
           left join claims m on m.tenant_id = i.tenant_id and m.invoice_id = i.id and m.status not in ('paid', 'withdrawn', 'expired')
           where coalesce(c.billing_connection_id, m.connection_id) is not null`,
    values: [JSON.stringify(invoices.map(({ tenant_id, id }) => ({ tenant_id, id })))],
  });
  return new Map(
    rows.map(({ connection_id, is_customers, is_connected, has_contact, po_number, ...row }) => [
      refKey(row),
      {
        ...row,
        connectionId: connection_id,
        isCustomers: is_customers,
        isConnected: is_connected,
        hasContact: has_contact,
        poNumber: po_number,
      },
    ]),
  );
}

/** Returns why the invoice cannot be sent to the partner; undefined if it can. */
export function findPartnerRefusal({
  isCustomers,
  isConnected,
  hasContact,
  claim,
  connectionId,
}: BilledPartner): string | undefined {
  if (!isCustomers) return claim ? refuseMail(claim) : undefined;
  if (!isConnected)
    return 'The billing partner of the customer is disconnected. Choose another billing_connection_id for the customer, or set it to null.';
  if (!hasContact)
    return 'The billing partner needs an email or a phone number of the customer: set billing_email or primary_phone.';
  if (claim === null) return undefined;
  if (claim.status === 'queued' && claim.connection_id === connectionId) return undefined;
  if (claim.status === 'queued')
    return `The invoice has a claim outside the customer's billing partner. Send it with POST /claims/${claim.id}/submit, or withdraw it first.`;
  if (claim.status === 'denied' || claim.status === 'rebilling')
    return `The claim of this invoice is ${claim.status}. Bill it again with POST /claims/${claim.id}/rebill, or withdraw it first.`;
  if (claim.status === 'short_paid') return SHORT_PAID;
  return `The claim of this invoice is ${claim.status} already. Withdraw it before you send the invoice again.`;
}

const SHORT_PAID =
  'The club has paid a part of the claim of this invoice. Record the rest as a payment of the invoice.';

/**
 * Returns why the customer must get no message: the partner may still collect the invoice. Two
 * payers would be asked for the same money.
 */
export function refuseMail({ id, status }: { id: string; status: string }): string {
  if (status === 'short_paid') return SHORT_PAID;
  return `The invoice has a claim at a billing partner, which is ${status}. Withdraw it with POST /claims/${id}/withdraw first.`;
}

/** A release through a partner. Its claim is new, or was created before. */
export interface PartnerRelease {
  invoice: RecordRef & { total_cents: number; paid_cents: number };
  partner: BilledPartner;
  claimId: string;
}

export function planPartnerRelease(
  invoice: PartnerRelease['invoice'],
  partner: BilledPartner,
): PartnerRelease {
  return { invoice, partner, claimId: partner.claim?.id ?? newId() };
}

const COLUMNS =
  'invoice_id uuid, club text, po_number text, expected_cents bigint, evidence jsonb, connection_id uuid';

/** Creates the claims of released invoices, and the operations that send them to the partners. */
export async function storePartnerReleases(
  tx: Transaction,
  releases: readonly PartnerRelease[],
  { publicUrl }: Pick<Config, 'publicUrl'>,
): Promise<void> {
  if (releases.length === 0) return;
  const values = releases.map(({ invoice, partner, claimId }) => ({
    ...buildFollowingFields(partner, invoice.total_cents - invoice.paid_cents, publicUrl),
    tenant_id: invoice.tenant_id,
    id: claimId,
    invoice_id: invoice.id,
    club: partner.club,
    connection_id: partner.connectionId,
    isNew: partner.claim === null,
  }));
  await insertClaims(
    tx,
    values.filter(({ isNew }) => isNew),
    { name: 'insert-released-claims', columns: COLUMNS },
  );
  await refreshWaitingClaims(
    tx,
    values.filter(({ isNew }) => !isNew),
  );
  await insertClaimOperations(
    tx,
    releases.map(({ invoice, partner, claimId }) => ({
      tenant_id: invoice.tenant_id,
      id: claimId,
      connection_id: partner.connectionId,
      verb: 'submit' as const,
    })),
  );
}

/** Returns what the partner gets of the invoice and its work order. */
export function buildFollowingFields(
  { poNumber, photos }: BilledPartner,
  owedCents: number,
  publicUrl: string,
): FollowingFields {
  return {
    expected_cents: owedCents,
    po_number: poNumber,
    evidence: photos.map((id) => ({ kind: 'photo', url: `${publicUrl}/v1/photos/${id}`, note: null })),
  };
}
