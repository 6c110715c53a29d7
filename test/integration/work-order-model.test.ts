import { expect } from 'chai';
import fc from 'fast-check';
import type { TestClient } from '../support/client.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const SEED = Number(process.env.FC_SEED ?? Date.now() | 0);
const RUNS = 20;
const JOBS = 3;
const TRUCKS = 2;

/** The table of decisions 4, written down a second time: state, action, next state. `assign` is apart: it depends on the truck. */
const NEXT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  pending: { accept: 'pending', cancel: 'cancelled', unassign: 'pending' },
  dispatched: { start: 'in_progress', unassign: 'pending', cancel: 'cancelled' },
  in_progress: { complete: 'completed', cancel: 'cancelled', start: 'in_progress' },
  completed: { complete: 'completed' },
  cancelled: { cancel: 'cancelled' },
};
const ASSIGNABLE = ['pending', 'dispatched', 'in_progress'];

interface JobModel {
  status: string;
  truck: number | null;
  events: string[];
}

interface Model {
  jobs: JobModel[];
}

interface Real {
  client: TestClient;
  jobs: string[];
  trucks: string[];
  eventsOf: (id: string) => Promise<string[]>;
}

const isUnderWay = ({ status }: JobModel) => status === 'dispatched' || status === 'in_progress';

/** Every job and every truck is compared after every step: an action on one must not touch another. */
async function compare(model: Model, real: Real): Promise<void> {
  for (const [nth, job] of model.jobs.entries()) {
    const { body } = await real.client.get(`/work-orders/${real.jobs[nth]}`);
    const truck = job.truck === null ? null : real.trucks[job.truck];
    expect(body, `job ${nth}`).to.include({ status: job.status, truck_id: truck });
    expect(body.dispatch_time === null, 'dispatch_time').to.equal(job.truck === null);
    expect(body.completion_time !== null, 'completion_time').to.equal(job.status === 'completed');
    expect(await real.eventsOf(real.jobs[nth] as string)).to.deep.equal(job.events);
  }
  for (const [nth, id] of real.trucks.entries()) {
    const on = model.jobs.findIndex((job) => isUnderWay(job) && job.truck === nth);
    const { body } = await real.client.get(`/trucks/${id}`);
    expect(body.current_work_order_id, `truck ${nth}`).to.equal(on < 0 ? null : real.jobs[on]);
  }
}

class Act implements fc.AsyncCommand<Model, Real> {
  constructor(
    readonly nth: number,
    readonly action: string,
  ) {}
  check = () => true;

  async run(model: Model, real: Real): Promise<void> {
    const job = model.jobs[this.nth] as JobModel;
    const body = this.action === 'cancel' ? { reason: 'customer' } : {};
    const answer = await real.client.post(`/work-orders/${real.jobs[this.nth]}/${this.action}`, body);
    const to = NEXT[job.status]?.[this.action];
    const isKnown = to !== undefined;
    expect(answer.status, `${job.status} ${this.action}: ${answer.text}`).to.equal(isKnown ? 200 : 409);
    if (isKnown && to !== job.status) {
      if (this.action === 'unassign') job.truck = null;
      if (this.action === 'complete') job.events.push('work_order.completed');
      job.status = to;
    }
    await compare(model, real);
  }
  toString = () => `${this.action} job ${this.nth}`;
}

class Assign implements fc.AsyncCommand<Model, Real> {
  constructor(
    readonly nth: number,
    readonly truck: number,
  ) {}
  check = () => true;

  async run(model: Model, real: Real): Promise<void> {
    const job = model.jobs[this.nth] as JobModel;
    const answer = await real.client.post(`/work-orders/${real.jobs[this.nth]}/assign`, {
      truck_id: real.trucks[this.truck],
    });
    const holder = model.jobs.find(
      (other) => other !== job && isUnderWay(other) && other.truck === this.truck,
    );
    if (!ASSIGNABLE.includes(job.status) || holder) {
      expect(answer.status, `${job.status} assign: ${answer.text}`).to.equal(409);
    } else {
      expect(answer.status, answer.text).to.equal(200);
      const isSame = job.status === 'dispatched' && job.truck === this.truck;
      if (!isSame) job.events.push('dispatch.assigned');
      Object.assign(job, { status: 'dispatched', truck: this.truck });
    }
    await compare(model, real);
  }
  toString = () => `assign truck ${this.truck} to job ${this.nth}`;
}

const job = fc.nat(JOBS - 1);
const steps = fc.commands(
  [
    fc
      .tuple(job, fc.constantFrom('accept', 'unassign', 'start', 'complete', 'cancel'))
      .map(([nth, action]) => new Act(nth, action)),
    fc.tuple(job, fc.constantFrom('start', 'complete')).map(([nth, action]) => new Act(nth, action)),
    fc.tuple(job, fc.nat(TRUCKS - 1)).map(([nth, truck]) => new Assign(nth, truck)),
  ],
  { maxCommands: 20, size: 'max' },
);

describe(`any sequence of actions on jobs and trucks (seed ${SEED}; FC_SEED repeats it)`, () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let serial = 0;

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant();
  });
  after(() => stack.stop());

  async function setup(): Promise<{ model: Model; real: Real }> {
    const { client } = tenant;
    const make = async (path: string, body: Record<string, unknown>) =>
      (await client.post(path, body)).body.id;
    const jobs: string[] = [];
    for (let nth = 0; nth < JOBS; nth += 1) jobs.push(await make('/work-orders', { service_type: 'tow' }));
    const trucks: string[] = [];
    for (let nth = 0; nth < TRUCKS; nth += 1) {
      serial += 1;
      trucks.push(await make('/trucks', { unit_number: `M-${serial}`, duty_class: 'light' }));
    }
    const eventsOf = async (id: string) => {
      const text = `select type from events where body::jsonb #>> '{data,object,id}' = '${id}' order by id`;
      return (await stack.rows<{ type: string }>(tenant.id, text)).map(({ type }) => type);
    };
    const model = {
      jobs: jobs.map(() => ({ status: 'pending', truck: null, events: ['work_order.created'] })),
    };
    return { model, real: { client, jobs, trucks, eventsOf } };
  }

  it('reaches only states that the table allows, gives no truck to two jobs, and misses no event', async () => {
    const property = fc.asyncProperty(steps, async (commands) => {
      await fc.asyncModelRun(setup, commands);
    });
    await fc.assert(property, { numRuns: RUNS, seed: SEED });
  });
});
