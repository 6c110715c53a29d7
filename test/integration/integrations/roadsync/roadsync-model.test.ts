/**
 * Walks random sequences of what a club and a person do with one claim, with failing calls and lost
 * answers of RoadSync, and with reports that come again later. After each step, both sides are as a
 * model computes, and the money is here once.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import { createSystemCommand } from '../../../../shared/contracts/system-command.js';
import { hasPendingCommands } from '../../../../shared/operations/pending.js';
import { type ClaimReport, recordClaimReport } from '../../../../shared/resources/claims/commands.js';
import { MAX_CLAIM_ATTEMPTS } from '../../../../shared/resources/claims/transitions.js';
import { runIsolated } from '../../../../workers/writes/isolate-commands.js';
import { countRuns } from '../../../support/count-runs.js';
import { eventually } from '../../../support/poll.js';
import { type ClubAccount, useClubStack } from '../../../support/vendors/clubs/billing-partner.js';
import type { Fault } from '../../../support/vendors/contracts/fault.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { createBatchContext } from '../../../support/writes/batch-context.js';

const SEED = Number(process.env.FC_SEED ?? Date.now() | 0);
const RUNS = countRuns(20);
const INVOICED_CENTS = 40_000;

type Step =
  | { kind: 'accept' | 'deny' | 'poll' | 'withdraw' }
  /** The club pays until it has paid this share. */
  | { kind: 'pay'; share: number }
  /** A person bills a denied claim again, with another amount. */
  | { kind: 'correct'; dollars: number }
  /** A report of RoadSync comes again. */
  | { kind: 'repeat'; nth: number }
  /** A call of RoadSync fails: the first one, or a later one. */
  | { kind: 'fail'; after: number; fault: Fault };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('accept', 'deny', 'deny', 'poll', 'poll', 'poll', 'withdraw') }),
  fc.record({ kind: fc.constant('pay' as const), share: fc.constantFrom(20, 60, 100) }),
  fc.record({ kind: fc.constant('correct' as const), dollars: fc.integer({ min: 100, max: 400 }) }),
  fc.record({ kind: fc.constant('correct' as const), dollars: fc.constant(250) }),
  fc.record({ kind: fc.constant('repeat' as const), nth: fc.nat({ max: 5 }) }),
  fc.record({
    kind: fc.constant('fail' as const),
    after: fc.nat({ max: 3 }),
    fault: fc.constantFrom<Fault>(
      { kind: 'cut_before' },
      { kind: 'cut_after' },
      { kind: 'cut_after' },
      { kind: 'status', status: 503 },
      { kind: 'limit', seconds: 1 },
    ),
  }),
);

/** Two corrections whose answers are lost, a short payment, and the rest of it. */
const LOST_CORRECTIONS: Step[] = [
  { kind: 'fail', after: 1, fault: { kind: 'cut_after' } },
  { kind: 'deny' },
  { kind: 'poll' },
  { kind: 'fail', after: 2, fault: { kind: 'cut_after' } },
  { kind: 'correct', dollars: 300 },
  { kind: 'deny' },
  { kind: 'poll' },
  { kind: 'correct', dollars: 200 },
  { kind: 'repeat', nth: 0 },
  { kind: 'pay', share: 60 },
  { kind: 'poll' },
  { kind: 'repeat', nth: 1 },
  { kind: 'pay', share: 100 },
  { kind: 'poll' },
  { kind: 'repeat', nth: 2 },
  { kind: 'repeat', nth: 3 },
];
/** A club that pays before it learns of the withdrawal. */
const PAID_BEFORE_WITHDRAWAL: Step[] = [{ kind: 'pay', share: 100 }, { kind: 'withdraw' }, { kind: 'poll' }];
const WITHDRAWN_TWICE: Step[] = [{ kind: 'withdraw' }, { kind: 'withdraw' }, { kind: 'poll' }];

/** An attempt at RoadSync. */
interface Attempt {
  status: 'sent' | 'accepted' | 'rejected' | 'completed';
  isVoid: boolean;
  claimedCents: number;
  paidCents: number;
}

/** What both sides should be. */
class Model {
  status = 'submitted';
  paidCents = 0;
  readonly reports: ClaimReport[] = [];
  readonly attempts: Attempt[] = [];

  constructor() {
    this.submit(INVOICED_CENTS);
  }

  get last(): Attempt {
    return this.attempts.at(-1) as Attempt;
  }

  /** True if the club may still answer. */
  get isAsked(): boolean {
    return !this.last.isVoid && ['sent', 'accepted'].includes(this.last.status);
  }

  submit(claimedCents: number): void {
    for (const attempt of this.attempts) attempt.isVoid = true;
    this.attempts.push({ status: 'sent', isVoid: false, claimedCents, paidCents: 0 });
    this.status = 'submitted';
  }

  poll(): void {
    if (!['submitted', 'accepted', 'short_paid'].includes(this.status)) return;
    const { status, paidCents, claimedCents } = this.last;
    const attempt = this.attempts.length;
    if (status === 'accepted') this.report('accepted', { attempt, state: 'accepted' });
    if (status === 'rejected') this.report('denied', { attempt, state: 'denied', reason: 'Mileage' });
    if (status !== 'completed') return;
    this.paidCents = paidCents;
    const isPaid = paidCents >= claimedCents;
    this.report(isPaid ? 'paid' : 'short_paid', { attempt, state: 'paid', amount_cents: paidCents });
  }

  private report(status: string, report: ClaimReport): void {
    this.status = status;
    this.reports.push(report);
  }

  /** A second withdrawal is accepted, and changes nothing. */
  withdraw(): boolean {
    if (this.status === 'withdrawn') return true;
    if (!['submitted', 'accepted', 'denied'].includes(this.status)) return false;
    this.status = 'withdrawn';
    if (this.last.status !== 'completed') this.last.isVoid = true;
    return true;
  }

  /** True if the club has paid what nobody asks for any more. A person has to decide. */
  get isDisputed(): boolean {
    return this.status === 'withdrawn' && this.last.status === 'completed';
  }
}

/** The walk of one sequence. */
class Walk {
  private failed = 0;

  private constructor(
    private readonly account: ClubAccount,
    private readonly invoiceId: string,
    private readonly claimId: string,
    private readonly model = new Model(),
  ) {}

  static async start(account: ClubAccount): Promise<Walk> {
    const { invoiceId, claim } = await account.releaseSent(INVOICED_CENTS);
    return new Walk(account, invoiceId, claim.id);
  }

  async take(one: Step): Promise<void> {
    const { model, account } = this;
    const { company } = account;
    const there = account.findLast();
    if (one.kind === 'fail') return this.fail(one);
    if (one.kind === 'poll') await this.poll();
    else if (one.kind === 'repeat') await this.repeat(one.nth);
    else if (one.kind === 'withdraw')
      await this.post(`/claims/${this.claimId}/withdraw`, { reason: 'Walk' }, model.withdraw());
    else if (one.kind === 'correct') await this.correct(one.dollars * 100);
    else if (one.kind === 'accept' && model.isAsked) {
      company.accept(there);
      model.last.status = 'accepted';
    } else if (one.kind === 'deny' && model.isAsked) {
      company.deny(there, 'Mileage');
      model.last.status = 'rejected';
    } else if (one.kind === 'pay') this.pay(one.share);
    await this.check();
  }

  private fail({ after, fault }: Extract<Step, { kind: 'fail' }>): void {
    let left = after;
    this.account.clubs.double.misbehave = () => {
      if (left-- !== 0) return undefined;
      this.failed += 1;
      return fault;
    };
  }

  private pay(share: number): void {
    const { last, isAsked } = this.model;
    // RoadSync shows whole dollars.
    const cents = Math.round((last.claimedCents * share) / 10_000) * 100;
    if (!(isAsked || last.status === 'completed') || cents <= last.paidCents) return;
    this.account.company.pay(this.account.findLast(), cents);
    Object.assign(last, { status: 'completed', paidCents: cents });
  }

  /** Polls until no call of a poll has failed. */
  private async poll(): Promise<void> {
    for (let before = -1; before !== this.failed; ) {
      before = this.failed;
      await this.account.poll();
    }
    this.model.poll();
  }

  private async repeat(nth: number): Promise<void> {
    const input = this.model.reports[nth];
    if (!input) return;
    const { stack, tenant } = this.account;
    const command = createSystemCommand({
      type: recordClaimReport.type,
      tenantId: tenant.id,
      environment: 'live',
      name: 'RoadSync',
      entityId: this.claimId,
      input,
    });
    await runIsolated(createBatchContext(stack.runtime), [command]);
  }

  private async correct(cents: number): Promise<void> {
    const { model, account, claimId } = this;
    const mayBill = model.status === 'denied' && model.attempts.length < MAX_CLAIM_ATTEMPTS;
    if (mayBill) {
      await account.client.post(`/invoices/${this.invoiceId}/approve`, {});
      const { status, text } = await account.client.patch(`/claims/${claimId}`, { expected_cents: cents });
      expect(status, text).to.equal(200);
    }
    await this.post(`/claims/${claimId}/rebill`, {}, mayBill);
    if (mayBill) model.submit(cents);
  }

  private async post(path: string, body: object, isAllowed: boolean): Promise<void> {
    const { status, text } = await this.account.client.post(path, body);
    expect(status, `${path} ${text}`).to.equal(isAllowed ? 200 : 409);
  }

  private async hasSettled(): Promise<boolean> {
    const { stack, tenant, connectionId } = this.account;
    const due = `select id from outbound_operations where tenant_id = $1 and state in ('due', 'doing')`;
    if ((await stack.rows(tenant.id, due, [tenant.id])).length > 0) return false;
    const { db } = stack.runtime;
    return !(await db.transaction([tenant.id], (tx) => hasPendingCommands(tx, tenant.id, connectionId)));
  }

  private async readSides(): Promise<object> {
    const { status, attempt } = await this.account.readClaim(this.invoiceId);
    const payments = await this.account.listPayments(this.invoiceId);
    return {
      status,
      attempt,
      paidCents: payments.reduce((sum, cents) => sum + cents, 0),
      there: this.account.company.invoices.map((invoice) => ({
        mark: invoice.content.customFields?.tow_dispatch_claim,
        status: invoice.status,
        isVoid: invoice.deletedAt !== undefined,
        cents: invoice.content.lineItems.reduce((sum, { amount }) => sum + Math.round(amount * 100), 0),
        sends: invoice.sends.length,
      })),
    };
  }

  private async check(): Promise<void> {
    const { status, attempts, paidCents } = this.model;
    const wanted = {
      status,
      attempt: attempts.length,
      paidCents,
      there: attempts.map((one, index) => ({
        mark: `${this.claimId}/${index + 1}`,
        status: one.status,
        isVoid: one.isVoid,
        cents: one.claimedCents,
        sends: 1,
      })),
    };
    let sides: object = {};
    await eventually('both sides are as the model', async () => {
      await this.account.hurry([]);
      if (!(await this.hasSettled())) return false;
      sides = await this.readSides();
      return JSON.stringify(sides) === JSON.stringify(wanted);
    }).catch(() => expect(sides).to.deep.equal(wanted));
  }

  /** Two more polls change nothing. A person is asked only about money that nobody asks for. */
  async end(): Promise<void> {
    await this.poll();
    await this.poll();
    await this.check();
    const issues = await this.account.listIssues();
    const kinds = issues.map(({ record_kind }) => record_kind);
    if (this.model.isDisputed) expect(kinds).to.include('claim');
    else expect(issues).to.deep.equal([]);
  }
}

describe(`a claim at RoadSync: any sequence of answers, corrections and failures (seed ${SEED}; FC_SEED repeats it)`, function () {
  this.timeout(300_000);
  requireContracts();
  const clubs = useClubStack();

  it('leaves both sides equal, one open attempt, and the money once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
        const walk = await Walk.start(await clubs.createAccount());
        try {
          for (const one of steps) await walk.take(one);
          await walk.end();
        } finally {
          clubs.double.misbehave = () => undefined;
        }
      }),
      {
        numRuns: RUNS,
        seed: SEED,
        endOnFailure: true,
        examples: [[LOST_CORRECTIONS], [PAID_BEFORE_WITHDRAWAL], [WITHDRAWN_TWICE]],
      },
    );
  });
});
