import { newId } from '../../../shared/platform/ids.js';
import { openWritesQueue } from '../../../shared/queues/writes.js';
import type { SuggestionDraft } from '../../../shared/resources/suggestions/detectors/kinds.js';
import { createBillingWatch } from '../../../workers/clock/watch-billing.js';
import { runIsolated } from '../../../workers/writes/isolate-commands.js';
import type { TestClient } from '../client.js';
import { eventually } from '../poll.js';
import type { TestStack } from '../stack.js';
import { createBatchContext } from '../writes/batch-context.js';
import { buildCommand } from '../writes/commands.js';
import { createWorkOrderAfter } from './lifecycle-records.js';
import { invoiceInput, lineItem } from './samples.js';

/** Runs the command by which the clock creates a suggestion, and returns the suggestion's id. */
export async function storeSuggestion(
  stack: TestStack,
  tenantId: string,
  draft: Partial<SuggestionDraft> & { entity_id: string },
): Promise<string> {
  const entityId = newId();
  const input = {
    kind: 'anomaly',
    detector: 'anomaly_amount',
    entity_type: 'invoice',
    occasion: '',
    invoice_id: null,
    title: 'The amount is unusual',
    rationale: 'It is 4.1 times the median.',
    amount_cents: 100,
    confidence: 0.8,
    proposed_lines: [],
    ...draft,
  };
  const actor = { type: 'system', id: null, name: 'clock' } as const;
  const command = buildCommand('suggestion.create', tenantId, input, { entityId, source: 'job', actor });
  const [result] = await runIsolated(createBatchContext(stack.runtime), [command]);
  if (!result?.ok) throw new Error(`no suggestion: ${JSON.stringify(result)}`);
  return entityId;
}

/**
 * Runs the clock's billing watch until it finds no changed invoice and all its commands have run.
 */
export async function runBillingWatch(stack: TestStack): Promise<void> {
  const writes = openWritesQueue(stack.runtime);
  const watch = createBillingWatch(stack.runtime, writes);
  await eventually('every change is checked', async () => {
    const { scannedInvoices } = await watch();
    const { waiting = 0, active = 0, delayed = 0 } = await writes.getJobCounts();
    return scannedInvoices === 0 && waiting + active + delayed === 0;
  });
}

/**
 * Creates a suggestion that stays open beside a running clock. The clock checks each changed
 * invoice, and closes suggestions that its detectors do not find. So it checks the invoice first.
 */
export async function storeLastingSuggestion(
  stack: TestStack,
  tenantId: string,
  draft: Partial<SuggestionDraft> & { entity_id: string },
): Promise<string> {
  await runBillingWatch(stack);
  return storeSuggestion(stack, tenantId, draft);
}

/**
 * Creates a completed work order and its invoice, and returns the invoice's id. If `mileageCents`
 * is null, the invoice does not charge for the miles.
 */
export async function createInvoicedWorkOrder(
  client: TestClient,
  {
    miles,
    mileageCents,
    status = 'approved',
  }: { miles: number; mileageCents: number | null; status?: string },
): Promise<string> {
  const workOrderId = await createWorkOrderAfter(client, ['assign', 'start']);
  await client.post(`/work-orders/${workOrderId}/complete`, { miles });
  const mileage = {
    name: 'Loaded miles',
    category: 'mileage',
    unit_type: 'mile',
    quantity: miles,
    taxable: true,
  };
  const lineItems = [lineItem()];
  if (mileageCents !== null) lineItems.push(lineItem({ ...mileage, unit_price_cents: mileageCents }));
  const body = invoiceInput({
    work_order_id: workOrderId,
    billing_email: 'b@example.com',
    line_items: lineItems,
  });
  const { body: invoice } = await client.post('/invoices', body);
  if (status === 'approved') await client.post(`/invoices/${invoice.id}/approve`, {});
  return invoice.id;
}
