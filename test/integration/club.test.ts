import { expect } from 'chai';
import { ClubDouble, type ClubScript } from '../support/club-double.js';
import { claimAfter, jobAfter } from '../support/lifecycle-records.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const ACCEPTED = { outcome: 'accepted' };
const PAID = { outcome: 'paid', amount_cents: 10_000, reference: 'EFT 5521' };
const NO_PO = { outcome: 'denied', code: 'missing_po', reason: 'No PO' };
const NOT_COVERED = { outcome: 'denied', code: 'not_covered' };

describe('a motor club over HTTP', () => {
  let stack: TestStack;
  let tenant: TestTenant;

  before(async () => {
    stack = await TestStack.start();
  });
  beforeEach(async () => {
    tenant = await stack.createTenant();
  });
  after(() => stack.stop());

  /** A claim that was sent, on an invoice of 10000 cents whose job knows a PO. */
  async function sentClaim(): Promise<{ id: string; invoice_id: string }> {
    const job = await jobAfter(tenant.client, []);
    await tenant.client.patch(`/work-orders/${job}`, { notes: 'PO# 88213-A' });
    return claimAfter(tenant.client, ['submit'], { invoice: { work_order_id: job } });
  }

  async function outcomeOf({ id, invoice_id }: { id: string; invoice_id: string }) {
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
    ['pays at once', [PAID], ['paid', 1, 'paid', [10_000]]],
    ['denies for a PO, gets it by itself, and pays', [NO_PO, ACCEPTED, PAID], ['paid', 2, 'paid', [10_000]]],
    ['denies for good', [NOT_COVERED], ['denied', 1, 'needs_review', []]],
    ['accepts and then denies', [ACCEPTED, NOT_COVERED], ['denied', 1, 'needs_review', []]],
    ['pays less', [{ ...PAID, amount_cents: 6_000 }], ['short_paid', 1, 'partially_paid', [6_000]]],
  ];

  for (const repeats of [1, 5]) {
    it(`is answered in its turn and paid from once, ${repeats === 1 ? 'whatever it says' : 'though it says everything five times at once'}`, async () => {
      const key = await stack.createKey(tenant.id, { permissions: ['read', 'write', 'approve'] });
      const club = new ClubDouble(stack.clientWith(key), { repeats });
      const claims = [];
      for (const [, script] of CASES) {
        const claim = await sentClaim();
        club.willSay(claim.id, script);
        claims.push(claim);
      }
      await club.work();
      for (const [nth, [name, , expected]] of CASES.entries())
        expect(await outcomeOf(claims[nth] as { id: string; invoice_id: string }), name).to.deep.equal(
          expected,
        );
      // One of the five is answered first; the others get the same answer, or are told that it is under way.
      expect(new Set(club.answers.map(({ status }) => status))).to.satisfy((seen: Set<number>) =>
        [...seen].every((status) => status === 200 || status === 409),
      );
      const said = CASES.flatMap(([, script]) => script).length;
      expect(club.answers.filter(({ status }) => status === 200).length).to.be.at.least(said);
    });
  }

  it('that answers out of turn changes nothing: a claim that is paid is neither accepted nor denied any more', async () => {
    const claim = await sentClaim();
    await tenant.client.post(`/claims/${claim.id}/outcome`, PAID);
    for (const late of [ACCEPTED, NOT_COVERED, PAID]) {
      const answer = await tenant.client.post(`/claims/${claim.id}/outcome`, late);
      expect(answer.status).to.equal(409);
      expect(answer.body.error.code).to.equal('invalid_status_transition');
    }
    expect(await outcomeOf(claim)).to.deep.equal(['paid', 1, 'paid', [10_000]]);
  });
});
