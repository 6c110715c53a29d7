import type { SavedMethodState } from '../../../shared/integrations/contract/saved-methods.js';
import {
  recordSavedMethod,
  type SavedMethodReport,
} from '../../../shared/resources/saved-methods/commands.js';
import { readSetupFacts } from '../../../shared/resources/saved-methods/queries.js';
import { toSavedMethodReport } from '../../../shared/resources/saved-methods/to-report.js';
import type { StartedOperation } from '../../../shared/sync/operation-rows.js';
import type { Step } from '../vendor/step.js';
import { getPayments } from './pay-links.js';
import type { RecordKind, WriteOutcome } from './record-kind.js';
import { toAttempt } from './to-attempt.js';

/**
 * The record kind `payment_method`. A write opens the page on which a customer saves a method, or
 * removes the method. A read finds the methods that customers have saved.
 */
export const savedMethodRecords: RecordKind<SavedMethodState> = {
  write: (step, operation) =>
    operation.verb === 'open' ? openPage(step, operation) : removeMethod(step, operation),
  storeAcceptance: () => undefined,
  buildSuccess: ({ verb, local_id }, { written }) =>
    verb === 'open'
      ? [build(local_id, { status: 'open', url: written.url ?? null, expires_at: written.expiresAt ?? null })]
      : [],
  buildFailure: ({ verb, local_id }, { reason: error }) =>
    verb === 'open' ? [build(local_id, { status: 'failed', error })] : [],
  pull: async (step, from) => getPayments(step).savedMethods.pull(await step.open(), from),
  readNamed: async (step, hints) => getPayments(step).savedMethods.readNamed(await step.open(), hints),
  // Ignore methods that name no stored record. Other programs saved them in the same vendor
  // account.
  adopt: ({ fields: { methodId } }) => methodId ?? undefined,
  buildChanges: (changes) =>
    changes.map(({ change: { externalId, fields }, id }) =>
      build(id.local_id, toSavedMethodReport(externalId, fields)),
    ),
};

function build(entityId: string, report: Omit<SavedMethodReport, 'observed_at'>) {
  const input: SavedMethodReport = { ...report, observed_at: new Date().toISOString() };
  return { type: recordSavedMethod.type, entityId, input };
}

async function openPage(step: Step, operation: StartedOperation): Promise<WriteOutcome<SavedMethodState>> {
  const facts = await readFacts(step, operation);
  const { may_have_arrived: mayHaveArrived, local_id: methodId } = operation;
  if (facts.status !== 'opening' && !mayHaveArrived)
    return { cancelled: 'The payment method was removed before its page was opened.', mayHaveArrived };
  const page = {
    methodId,
    customerExternalId: facts.provider_customer_id,
    customerEmail: facts.customer_email,
    returnUrl: `${step.services.runtime.config.publicUrl}/saved`,
  };
  const { savedMethods } = getPayments(step);
  return { written: await savedMethods.openPage(await step.open(), page, toAttempt(operation)) };
}

/** Removes a saved method at the vendor, or closes the page on which it would be saved. */
async function removeMethod(
  step: Step,
  operation: StartedOperation,
): Promise<WriteOutcome<SavedMethodState>> {
  const { provider_method_id: methodId, page_id: pageId } = await readFacts(step, operation);
  if (pageId === null) return { cancelled: 'The page was never opened.', mayHaveArrived: false };
  const { savedMethods, pages } = getPayments(step);
  const connection = await step.open();
  if (methodId === null) await pages.close(connection, pageId);
  else await savedMethods.detach(connection, methodId);
  return { written: { externalId: pageId, version: null } };
}

async function readFacts(step: Step, { tenant_id, local_id: id, connection_id }: StartedOperation) {
  const facts = await readSetupFacts(step.db, { tenant_id, id, connection_id });
  if (!facts) throw new Error('the payment method of an operation does not exist');
  return facts;
}
