import type { PaymentsAdapter } from '../../../shared/integrations/contract/payments.js';
import { PAY_LINK_KIND } from '../../../shared/resources/open-pay-links/store.js';
import { type PayLinkOutcome, recordPayLink } from '../../../shared/resources/pay-links/commands.js';
import { type PayPageFacts, readPayPageFacts } from '../../../shared/resources/pay-links/queries.js';
import type { StartedOperation } from '../../../shared/sync/operation-rows.js';
import type { Step } from '../vendor/step.js';
import type { RecordKind, WriteOutcome } from './record-kind.js';
import { toAttempt } from './to-attempt.js';

/** The record kind `pay_link`. A write opens or closes a vendor's page for paying one invoice. */
export const payLinkRecords: RecordKind = {
  write: (step, operation) =>
    operation.verb === 'open' ? openPage(step, operation) : closePage(step, operation),
  storeAcceptance: () => undefined,
  buildSuccess: ({ verb, local_id: entityId }, { written }) => [
    build(
      entityId,
      verb === 'open'
        ? {
            status: 'open',
            ...(written.url ? { url: written.url } : {}),
            ...(written.expiresAt ? { expires_at: written.expiresAt } : {}),
          }
        : { status: 'closed' },
    ),
  ],
  buildFailure: ({ verb, local_id: entityId }, { reason: error }) =>
    verb === 'open' ? [build(entityId, { status: 'failed', error })] : [],
  pull: () => Promise.reject(new Error('pay links have no stream')),
  buildChanges: () => [],
};

const build = (entityId: string, input: PayLinkOutcome) => ({ type: recordPayLink.type, entityId, input });

export function getPayments({ vendor }: Step): PaymentsAdapter {
  if (!vendor.payments) throw new Error(`${vendor.manifest.vendor} takes no payments`);
  return vendor.payments;
}

async function openPage(step: Step, operation: StartedOperation): Promise<WriteOutcome> {
  const facts = await readFacts(step, operation);
  const { may_have_arrived: mayHaveArrived } = operation;
  // The link was closed before its page was opened. If an earlier attempt may have opened the page,
  // open it again: under the same key, the vendor returns the same page. The next operation then
  // closes that page.
  if (facts.status !== 'opening' && !mayHaveArrived)
    return { cancelled: 'The link was closed before its page was opened.', mayHaveArrived };
  const { config } = step.services.runtime;
  const page = {
    payLinkId: operation.local_id,
    invoiceId: facts.invoice_id,
    title: `Invoice ${facts.invoice_number} of ${facts.business_name}`,
    amountCents: facts.amount_cents,
    customerEmail: facts.customer_email,
    returnUrl: `${config.publicUrl}${facts.return_path ?? '/paid'}`,
  };
  return { written: await getPayments(step).pages.open(await step.open(), page, toAttempt(operation)) };
}

async function closePage(step: Step, operation: StartedOperation): Promise<WriteOutcome> {
  const { external_id: externalId } = await readFacts(step, operation);
  if (externalId === null) return { cancelled: 'The page was never opened.', mayHaveArrived: false };
  await getPayments(step).pages.close(await step.open(), externalId);
  return { written: { externalId, version: null } };
}

async function readFacts(step: Step, operation: StartedOperation): Promise<PayPageFacts> {
  const { tenant_id, local_id: id, connection_id } = operation;
  const facts = await readPayPageFacts(step.db, { tenant_id, id, connection_id });
  if (!facts) throw new Error(`the ${PAY_LINK_KIND} of an operation does not exist`);
  return facts;
}
