import { expect } from 'chai';
import fc from 'fast-check';
import { draftOf, newAgent, setGate } from '../support/approvals.js';
import type { Answer, TestClient } from '../support/client.js';
import { lineItem } from '../support/samples.js';
import { signIn } from '../support/sign-in.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const SEED = Number(process.env.FC_SEED ?? Date.now() | 0);
const RUNS = 20;
const GATE_CENTS = 1_000;
const TARGETS = 3;

interface Draft {
  id: string;
  target: number;
  cents: number;
  /** Priced within 24 hours and not cancelled. */
  counts: boolean;
}

interface Held {
  id: string;
  target: number;
  cents: number;
  /** The draft that it changes; undefined: it makes one. */
  draft?: Draft;
}

/** One agent key's world: what it drafted, what waits, and where a human let it over the gate. */
class World {
  readonly drafts: Draft[] = [];
  readonly held: Held[] = [];
  readonly approvedFor = new Set<number>();

  constructor(
    readonly agent: TestClient,
    readonly person: TestClient,
    readonly targets: readonly Record<string, unknown>[],
    readonly age: (target: Record<string, unknown>) => Promise<void>,
  ) {}

  sum(target: number, without?: Draft): number {
    const counted = this.drafts.filter(
      (draft) => draft.counts && draft.target === target && draft !== without,
    );
    return counted.reduce((sum, { cents }) => sum + cents, 0);
  }

  /** What one write came to: it passed below the gate only, and was held only where it would have reached it. */
  note(answer: Answer, write: Omit<Held, 'id'>): void {
    if (answer.status === 202) {
      expect(this.sum(write.target, write.draft) + write.cents, 'held without need').to.be.least(GATE_CENTS);
      this.held.push({ ...write, id: answer.body.approval.id });
      return;
    }
    expect(answer.status, answer.text).to.be.oneOf([200, 201]);
    this.make(answer.body.id, write);
    expect(this.sum(write.target), 'slipped under the gate').to.be.below(GATE_CENTS);
  }

  make(id: string, { target, cents, draft }: Omit<Held, 'id'>): void {
    if (draft) Object.assign(draft, { cents, counts: true });
    else this.drafts.push({ id, target, cents, counts: true });
  }
}

type Step = (world: World) => Promise<void>;

const cents = () => fc.integer({ min: 0, max: 700 });
const target = () => fc.nat(TARGETS - 1);
const pick = <T>(list: readonly T[], index: number): T | undefined => list[index % (list.length || 1)];
const named = <A extends unknown[]>(name: string, run: (world: World, ...args: A) => Promise<void>) => {
  return (args: A): Step =>
    Object.assign((world: World) => run(world, ...args), { toString: () => `${name}(${args.join(', ')})` });
};

const bodyFor = (world: World, index: number, amount: number) => draftOf(amount, world.targets[index]);

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(target(), cents()).map(
    named('create', async (world, index, amount) => {
      const answer = await world.agent.post('/invoices', bodyFor(world, index, amount));
      world.note(answer, { target: index, cents: amount });
    }),
  ),
  fc.tuple(target(), fc.array(cents(), { minLength: 2, maxLength: 5 })).map(
    named('createAtOnce', async (world, index, amounts) => {
      const answers = await Promise.all(
        amounts.map((amount) => world.agent.post('/invoices', bodyFor(world, index, amount))),
      );
      // Those that passed first: a held one met a sum that has only grown since.
      const order = [...answers.keys()].sort((a, b) => (answers[a]?.status ?? 0) - (answers[b]?.status ?? 0));
      for (const at of order)
        world.note(answers[at] as Answer, { target: index, cents: amounts[at] as number });
    }),
  ),
  fc.tuple(fc.nat(), cents()).map(
    named('patch', async (world, index, amount) => {
      const draft = pick(world.drafts, index);
      if (!draft) return;
      const body = { line_items: [lineItem({ unit_price_cents: amount })] };
      const answer = await world.agent.patch(`/invoices/${draft.id}`, body);
      if (answer.status === 403) return;
      world.note(answer, { target: draft.target, cents: amount, draft });
    }),
  ),
  fc.tuple(fc.nat()).map(
    named('approve', async (world, index) => {
      const held = pick(world.held, index);
      if (!held) return;
      const { hash } = (await world.person.get(`/approvals/${held.id}`)).body;
      const answer = await world.person.post(`/approvals/${held.id}/approve`, { hash });
      if (answer.status !== 200) return;
      world.held.splice(world.held.indexOf(held), 1);
      world.approvedFor.add(held.target);
      world.make(answer.body.invoice_id, held);
    }),
  ),
  fc.tuple(fc.nat()).map(
    named('cancel', async (world, index) => {
      const draft = pick(world.drafts, index);
      if (!draft) return;
      await world.person.post(`/invoices/${draft.id}/cancel`, { reason: 'x' });
      draft.counts = false;
    }),
  ),
  fc.tuple(target()).map(
    named('dayPasses', async (world, index) => {
      await world.age(world.targets[index] as Record<string, unknown>);
      for (const draft of world.drafts) if (draft.target === index) draft.counts = false;
    }),
  ),
);

describe('any sequence of writes of an agent key, against a model', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let person: TestClient;

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant();
    person = await signIn(stack, { tenantId: tenant.id });
    await setGate(tenant, GATE_CENTS);
  });
  after(() => stack.stop());

  async function newWorld(): Promise<{ world: World; agentId: string }> {
    const agent = await newAgent(stack, tenant.id);
    const agentId = (await agent.get('/me')).body.key.id as string;
    const work_order_id = (await person.post('/work-orders', { service_type: 'tow' })).body.id;
    const customer_id = (await person.post('/customers', { company_name: 'C' })).body.id;
    const age = async ({ work_order_id: job = null, customer_id: payer = null }: Record<string, unknown>) => {
      await stack.rows(
        tenant.id,
        `update invoices set agent_priced_at = agent_priced_at - interval '25 hours'
         where agent_id = $1 and coalesce(work_order_id, customer_id) is not distinct from coalesce($2::uuid, $3::uuid)`,
        [agentId, job, payer],
      );
    };
    const targets = [{ work_order_id, customer_id }, { customer_id }, {}];
    return { world: new World(agent, person, targets, age), agentId };
  }

  it(`leaves no drafts of one target within 24 hours that reach the gate, unless a human approved (seed ${SEED})`, async () => {
    const property = fc.asyncProperty(fc.array(steps, { minLength: 4, maxLength: 24 }), async (sequence) => {
      const { world, agentId } = await newWorld();
      for (const step of sequence) await step(world);
      const rows = await stack.rows<{ target: string | null; sum: number }>(
        tenant.id,
        `select coalesce(work_order_id, customer_id) as target, sum(total_cents)::bigint as sum from invoices
         where agent_id = $1 and agent_priced_at > now() - interval '24 hours' and status <> 'cancelled' group by 1`,
        [agentId],
      );
      const sums = new Map(rows.map((row) => [row.target, row.sum]));
      world.targets.forEach((one, index) => {
        const stored = sums.get((one.work_order_id ?? one.customer_id ?? null) as string | null) ?? 0;
        expect(stored, 'the model knows what is stored').to.equal(world.sum(index));
        if (!world.approvedFor.has(index)) expect(stored).to.be.below(GATE_CENTS);
      });
    });
    await fc.assert(property, { seed: SEED, numRuns: RUNS });
  });
});
