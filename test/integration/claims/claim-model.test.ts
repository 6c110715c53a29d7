import { expect } from 'chai';
import fc from 'fast-check';
import {
  CLAIM_MOVES,
  type ClaimStatus,
  MAX_CLAIM_ATTEMPTS,
} from '../../../shared/resources/claims/transitions.js';
import { INVOICE_MOVES, type InvoiceStatus } from '../../../shared/resources/invoices/transitions.js';
import { countRuns } from '../../support/count-runs.js';
import { createClaimAfter, createWorkOrderAfter } from '../../support/records/lifecycle-records.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const SEED = Number(process.env.FC_SEED ?? Date.now() | 0);
const RUNS = countRuns(25);
const TOTAL_CENTS = 10_000;

type Step = [path: string, body: Record<string, unknown>];

const denialCode = fc.constantFrom(
  'missing_po',
  'missing_photos',
  'not_covered',
  'mileage_exceeds_contract',
  'something_new',
);
const cents = fc.oneof(
  fc.integer({ min: 1, max: 12_000 }),
  fc.constantFrom(1, TOTAL_CENTS - 1, TOTAL_CENTS, TOTAL_CENTS + 1),
);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.constantFrom<Step>(
      ['claim/submit', {}],
      ['claim/submit', {}],
      ['claim/rebill', {}],
      ['claim/rebill', {}],
    ),
    denialCode.map((code): Step => ['claim/outcome', { outcome: 'denied', code }]),
    denialCode.map((code): Step => ['claim/outcome', { outcome: 'denied', code }]),
    cents.map((amount): Step => ['claim/outcome', { outcome: 'paid', amount_cents: amount }]),
    fc.constantFrom<Step>(
      ['claim/outcome', { outcome: 'accepted' }],
      ['claim/withdraw', { reason: 'model' }],
    ),
    fc.constantFrom<Step>(
      ...(['approve', 'approve', 'dispute', 'resolve', 'return', 'void'] as const).map(
        (action): Step => [`invoice/${action}`, { reason: 'model' }],
      ),
    ),
    cents.map((amount): Step => ['invoice/payments', { amount_cents: amount, method: 'cash' }]),
  ),
  { maxLength: 16, size: 'max' },
);

interface Entry {
  entity_type: 'claim' | 'invoice' | 'payment';
  changes: { field: string; from: string; to: string }[] | null;
}

/**
 * Returns the status changes that `entries` record for one entity type, in the order of `entries`.
 */
function listStatusChanges(entries: Entry[], entityType: string): [from: string, to: string][] {
  return entries
    .filter((entry) => entry.entity_type === entityType)
    .flatMap(({ changes }) => changes ?? [])
    .filter(({ field }) => field === 'status')
    .map(({ from, to }) => [from, to]);
}

describe(`a motor-club claim and its invoice: any sequence of requests, against a model (seed ${SEED}; FC_SEED repeats it)`, () => {
  const stack = useStack();
  const tenant = useTenant(stack);

  async function runSequence(sequence: Step[]): Promise<void> {
    const { client } = tenant;
    const workOrderId = await createWorkOrderAfter(client, []);
    await client.patch(`/work-orders/${workOrderId}`, { notes: 'PO 4711-B' });
    const { id, invoice_id } = await createClaimAfter(client, [], {
      invoice: { work_order_id: workOrderId },
    });
    const bases: Record<string, string> = { claim: `/claims/${id}`, invoice: `/invoices/${invoice_id}` };
    const received: number[] = [];
    for (const [path, body] of sequence) {
      const [kind = '', action = ''] = path.split('/');
      const response = await client.post(`${bases[kind]}/${action}`, body);
      expect(response.status, `${path} ${response.text}`).to.be.oneOf([200, 201, 409]);
      if (response.status < 300 && 'amount_cents' in body) received.push(body.amount_cents as number);
    }
    const [claim, invoice, payments] = await Promise.all([
      client.get(bases.claim as string),
      client.get(bases.invoice as string),
      client.get(`${bases.invoice}/payments?limit=200`),
    ]);
    const entries = await stack.rows<Entry>(
      tenant.id,
      `select entity_type, changes from audit_entries where entity_id in ('${id}', '${invoice_id}') and outcome = 'ok' order by occurred_at, id`,
    );
    expectAllowedMoves(entries, { claim: claim.body.status, attempt: claim.body.attempt });
    // Every received cent is applied either to the invoice or to the customer's credit.
    const items = payments.body.data.items as { amount_cents: number; credit_cents: number }[];
    const receivedCents = items.reduce((sum, one) => sum + one.amount_cents, 0);
    const creditCents = items.reduce((sum, one) => sum + one.credit_cents, 0);
    expect(receivedCents).to.equal(received.reduce((sum, amount) => sum + amount, 0));
    expect(invoice.body.paid_cents).to.equal(receivedCents - creditCents);
    expect(invoice.body.paid_cents + invoice.body.balance_due_cents).to.equal(invoice.body.total_cents);
  }

  function expectAllowedMoves(entries: Entry[], end: { claim: ClaimStatus; attempt: number }): void {
    const claimMoves = listStatusChanges(entries, 'claim');
    let status = 'queued';
    for (const [from, to] of claimMoves) {
      expect(from).to.equal(status);
      expect(
        CLAIM_MOVES[from as ClaimStatus].map((move) => move.to),
        `claim ${from}`,
      ).to.include(to);
      status = to;
    }
    expect(end.claim).to.equal(status);
    const submissions = claimMoves.filter(([, to]) => to === 'submitted').length;
    expect(end.attempt).to.equal(submissions);
    expect(end.attempt).to.be.at.most(MAX_CLAIM_ATTEMPTS);
    for (const [from, to] of listStatusChanges(entries, 'invoice')) {
      const targets = INVOICE_MOVES[from as InvoiceStatus].map((move) => move.to as string);
      // When a dispute ends, the invoice returns to an earlier status that `INVOICE_MOVES` does not
      // list.
      if (from !== 'disputed') expect(targets, `invoice ${from}`).to.include(to);
    }
  }

  it('any sequence leaves claim and invoice in allowed states, at most three submissions and no lost cent', async () => {
    await fc.assert(fc.asyncProperty(steps, runSequence), { numRuns: RUNS, seed: SEED });
  });
});
