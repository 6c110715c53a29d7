import type { DisputeEvidence, DisputeState } from '../../../shared/integrations/contract/payments.js';
import { newId } from '../../../shared/platform/ids.js';
import { type DisputeReport, recordDispute } from '../../../shared/resources/disputes/commands.js';
import {
  type EvidenceFacts,
  type EvidencePhoto,
  readEvidenceFacts,
} from '../../../shared/resources/disputes/queries.js';
import { buildEvidenceFiles } from '../evidence/evidence-files.js';
import { findEarly } from './find-early.js';
import { getPayments } from './pay-links.js';
import type { RecordKind } from './record-kind.js';
import { toAttempt } from './to-attempt.js';

/** The record kind `dispute`. A write sends evidence. A read finds disputes and their outcomes. */
export const disputeRecords: RecordKind<DisputeState> = {
  async write(step, operation) {
    const { tenant_id, local_id: id } = operation;
    const facts = await readEvidenceFacts(step.db, { tenant_id, id });
    if (!facts) throw new Error('the dispute of an operation does not exist');
    const { files, photos } = await buildEvidenceFiles(step, facts);
    const dispute = {
      externalId: facts.provider_dispute_id,
      evidence: { ...toEvidence(facts, photos), files },
    };
    const { disputes } = getPayments(step);
    return { written: await disputes.respond(await step.open(), dispute, toAttempt(operation)) };
  },
  storeAcceptance: () => undefined,
  buildSuccess: () => [],
  buildFailure: () => [],
  pull: async (step, from) => getPayments(step).disputes.pull(await step.open(), from),
  readNamed: async (step, hints) => getPayments(step).disputes.readNamed(await step.open(), hints),
  adopt: () => newId(),
  findEarly,
  buildChanges: (changes) =>
    changes.map(({ change: { externalId, fields }, id }) => ({
      type: recordDispute.type,
      entityId: id.local_id,
      input: toReport(externalId, fields),
    })),
};

function toReport(externalId: string, fields: DisputeState): DisputeReport {
  const { paymentExternalId, amountCents, reason, status, respondBy, isReturn } = fields;
  return {
    provider_dispute_id: externalId,
    provider_payment_id: paymentExternalId,
    amount_cents: amountCents,
    reason,
    status,
    respond_by: respondBy,
    is_return: isReturn,
    observed_at: new Date().toISOString(),
  };
}

function toEvidence(facts: EvidenceFacts, photos: readonly EvidencePhoto[]): Omit<DisputeEvidence, 'files'> {
  const { invoice_number, service_type, pickup, customer_name, customer_email, service_date } = facts;
  const steps = facts.steps.map(({ step, at }) => `${at}: ${step}`);
  return {
    customerName: customer_name,
    customerEmail: customer_email,
    description: `Invoice ${invoice_number}: ${service_type ?? 'tow'}${pickup ? ` from ${pickup}` : ''}`,
    serviceDate: service_date,
    text: [
      ...(facts.text ? [facts.text] : []),
      ...(steps.length > 0 ? ['Log of the work:', ...steps] : []),
      ...describePhotos(photos, facts.photos.length),
    ].join('\n'),
  };
}

/**
 * Describes the photos in the file with the photos, in the sequence of its pages. With the hash,
 * the bank can prove that a photo in the file is the one that was stored at that time.
 */
function describePhotos(photos: readonly EvidencePhoto[], taken: number): string[] {
  if (taken === 0) return [];
  if (photos.length === 0) return [`${taken} photos were taken at the scene.`];
  const lines = photos.map(({ taken_at, created_at, sha256 }, index) => {
    const time = taken_at === null ? '' : `taken ${taken_at}, `;
    return `Photo ${index + 1}: ${time}stored ${created_at}, SHA-256 ${sha256}`;
  });
  const count = photos.length === taken ? `${taken}` : `${photos.length} of ${taken}`;
  return [`The file has ${count} photos that were taken at the scene.`, ...lines];
}
