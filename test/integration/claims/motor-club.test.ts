import { expect } from 'chai';
import { ClubDouble, type ClubScript } from '../../support/network/club-double.js';
import { createClaimAfter, createWorkOrderAfter } from '../../support/records/lifecycle-records.js';
import type { TestTenant } from '../../support/stack.js';
import { useStack } from '../../support/use-stack.js';

const ACCEPTED = { outcome: 'accepted' };
const PAID = { outcome: 'paid', amount_cents: 10_000, reference: 'EFT 5521' };
const NO_PO = { outcome: 'denied', code: 'missing_po', reason: 'No PO' };
const NOT_COVERED = { outcome: 'denied', code: 'not_covered' };

describe('a motor club over HTTP', () => {
  const stack = useStack();
  let tenant: TestTenant;

  beforeEach(async () => {
    tenant = await stack.createTenant();
  });

  /**
   * Submits a claim for an invoice of 10000 cents. The notes of the invoice's work order contain a
   * purchase order (PO) number.
   */
  async function submitClaim(): Promise<{ id: string; invoice_id: string }> {
    const workOrderId = await createWorkOrderAfter(tenant.client, []);
    await tenant.client.patch(`/work-orders/${workOrderId}`, { notes: 'PO# 88213-A' });
    return createClaimAfter(tenant.client, ['submit'], { invoice: { work_order_id: workOrderId } });
  }

  async function readOutcome({ id, invoice_id }: { id: string; invoice_id: string }) {
    const [claim, invoice, payments] = [
      (await tenant.client.get(`/claims/${id}`)).body,
      (await tenant.client.get(`/invoices/${invoice_id}`)).body,
      (await tenant.client.get(`/invoices/${invoice_id}/payments`)).body.data.items,
    ];
    return [
      claim.status,
      claim.attempt,
      invoice.status,
      payments.map((one: { amount_cents: number }) => one.amount_cents),
    ];
  }

  const CASES: [string, ClubScript, unknown[]][] = [
    ['accepts and pays', [ACCEPTED, PAID], ['paid', 1, 'paid', [10_000]]],
    ['pays without accepting first', [PAID], ['paid', 1, 'paid', [10_000]]],
    [
      'denies for a missing PO, receives it, and pays',
      [NO_PO, ACCEPTED, PAID],
      ['paid', 2, 'paid', [10_000]],
    ],
    ['denies for good', [NOT_COVERED], ['denied', 1, 'needs_review', []]],
    ['accepts and then denies', [ACCEPTED, NOT_COVERED], ['denied', 1, 'needs_review', []]],
    ['pays less', [{ ...PAID, amount_cents: 6_000 }], ['short_paid', 1, 'partially_paid', [6_000]]],
  ];

  for (const repeats of [1, 5]) {
    it(`a motor club's outcomes are applied in sequence and paid once when each is sent ${repeats === 1 ? 'once' : 'five times concurrently'}`, async () => {
      const key = await stack.createKey(tenant.id, { permissions: ['read', 'write', 'approve'] });
      const club = new ClubDouble(stack.createClient(key), { repeats });
      const claims = [];
      for (const [, script] of CASES) {
        const claim = await submitClaim();
        club.addOutcomes(claim.id, script);
        claims.push(claim);
      }
      await club.sendOutcomes();
      for (const [nth, [name, , expected]] of CASES.entries())
        expect(await readOutcome(claims[nth] as { id: string; invoice_id: string }), name).to.deep.equal(
          expected,
        );
      // The first of five concurrent copies is applied. The others get the same response, or 409
      // while the first is still running.
      expect(new Set(club.responses.map(({ status }) => status))).to.satisfy((seen: Set<number>) =>
        [...seen].every((status) => status === 200 || status === 409),
      );
      const scriptedCount = CASES.flatMap(([, script]) => script).length;
      expect(club.responses.filter(({ status }) => status === 200).length).to.be.at.least(scriptedCount);
    });
  }

  it("a motor club's outcome for a paid claim gets 409 and changes nothing", async () => {
    const claim = await submitClaim();
    await tenant.client.post(`/claims/${claim.id}/outcome`, PAID);
    for (const lateOutcome of [ACCEPTED, NOT_COVERED, PAID]) {
      const response = await tenant.client.post(`/claims/${claim.id}/outcome`, lateOutcome);
      expect(response.status).to.equal(409);
      expect(response.body.error.code).to.equal('invalid_status_transition');
    }
    expect(await readOutcome(claim)).to.deep.equal(['paid', 1, 'paid', [10_000]]);
  });
});
