import type { Change, OpenConnection } from '../contract/connection.js';
import { fingerprint } from '../contract/fingerprint.js';
import type { DisputeEvidence, DisputeState, Disputes } from '../contract/payments.js';
import { callStripe } from './api/client.js';
import { listSince, pullNamed, readEach } from './api/events.js';
import type { FormValue } from './api/form.js';
import { uploadEvidence } from './api/upload.js';
import { isOfInvoice, type NamedIntent, readIntentId } from './named-intent.js';

interface StripeDispute {
  id: string;
  amount: number;
  payment_intent: NamedIntent;
  reason: string;
  status: string;
  evidence_details: { due_by: number | null; submission_count: number } | null;
}

/** The reasons for which a bank returns a debit. Stripe reports such returns as disputes. */
const RETURN_REASONS: readonly string[] = [
  'insufficient_funds',
  'incorrect_account_details',
  'bank_cannot_process',
  'debit_not_authorized',
];

/**
 * Stripe allows 20,000 characters per text of evidence, and 150,000 characters for all texts of a
 * dispute together.
 */
const MAX_TEXT = 20_000;

export const disputes: Disputes = {
  async respond(connection, { externalId, evidence }, { operationKey, mayHaveArrived }) {
    const path = `/v1/disputes/${encodeURIComponent(externalId)}`;
    if (mayHaveArrived && (await isAnswered(connection, path))) return { externalId, version: null };
    const files: Record<string, string> = {};
    for (const file of evidence.files)
      files[FILE_FIELDS[file.kind]] = await uploadEvidence(connection, file, operationKey);
    const form = { evidence: { ...toEvidence(evidence), ...files }, submit: true };
    // A later attempt may draw a file again, and the new file may have another id. Stripe refuses
    // other content under a used key. So the key contains a hash of the content.
    const key = `${operationKey}-${fingerprint(form)}`;
    const dispute = await callStripe<StripeDispute>(connection, { method: 'POST', path, form, key });
    return { externalId, version: toChange(dispute).version };
  },
  async readNamed(connection, hints) {
    const found = await readEach<StripeDispute>(connection, hints, {
      path: '/v1/disputes',
      expand: ['payment_intent'],
    });
    return found.filter(isOfInvoice).map(toChange);
  },
  listSince: (connection, from) =>
    listSince<StripeDispute, DisputeState>(connection, from, {
      path: '/v1/disputes',
      expand: ['payment_intent'],
      toChange: (one) => (isOfInvoice(one) ? toChange(one) : undefined),
    }),
  pull: (connection, from) => pullNamed(connection, from, { stream: 'disputes', read: disputes.readNamed }),
};

/** The fields of Stripe's evidence that contain the ids of the files. */
const FILE_FIELDS = { invoice: 'receipt', photos: 'service_documentation' } as const;

/** True if an earlier attempt has sent the evidence. Stripe accepts evidence only once. */
async function isAnswered(connection: OpenConnection, path: string): Promise<boolean> {
  const { evidence_details: details } = await callStripe<StripeDispute>(connection, { method: 'GET', path });
  return (details?.submission_count ?? 0) > 0;
}

function toEvidence({
  customerName,
  customerEmail,
  description,
  serviceDate,
  text,
}: DisputeEvidence): Record<string, FormValue> {
  return {
    customer_name: customerName ?? undefined,
    customer_email_address: customerEmail ?? undefined,
    product_description: description.slice(0, MAX_TEXT),
    service_date: serviceDate ?? undefined,
    uncategorized_text: text.slice(0, MAX_TEXT),
  };
}

function toChange({
  id,
  amount,
  payment_intent,
  reason,
  status,
  evidence_details,
}: StripeDispute): Change<DisputeState> {
  const dueBy = evidence_details?.due_by;
  const fields: DisputeState = {
    paymentExternalId: readIntentId(payment_intent),
    amountCents: amount,
    reason,
    status: toStatus(status),
    respondBy: status === 'needs_response' && dueBy ? new Date(dueBy * 1000).toISOString() : null,
    isReturn: RETURN_REASONS.includes(reason),
  };
  return { kind: 'dispute', externalId: id, version: fingerprint(fields), fields };
}

/**
 * Counts a closed warning and a prevented dispute as won, because neither costs the account
 * anything.
 */
function toStatus(status: string): DisputeState['status'] {
  if (status === 'won' || status === 'warning_closed' || status === 'prevented') return 'won';
  return status === 'lost' ? 'lost' : 'open';
}
