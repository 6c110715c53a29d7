import { expect } from 'chai';
import fc from 'fast-check';
import type { TestClient } from '../../support/client.js';
import { countRuns } from '../../support/count-runs.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const SEED = Number(process.env.FC_SEED ?? Date.now() | 0);
const RUNS = countRuns(20);
const WORK_ORDER_COUNT = 3;
const TRUCK_COUNT = 2;

/**
 * Maps a status and an action to the next status, as in docs/decisions.md §4 but independent of the
 * product's table. `assign` is missing, because its result depends on the truck.
 */
const NEXT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  pending: { accept: 'pending', cancel: 'cancelled', unassign: 'pending' },
  dispatched: { start: 'in_progress', unassign: 'pending', cancel: 'cancelled' },
  in_progress: { complete: 'completed', cancel: 'cancelled', start: 'in_progress' },
  completed: { complete: 'completed' },
  cancelled: { cancel: 'cancelled' },
};
const ASSIGNABLE = ['pending', 'dispatched', 'in_progress'];

/** Maps a status to the `allowed_actions` of a work order that is accepted and not billed. */
const ALLOWED: Readonly<Record<string, string[]>> = {
  pending: ['assign', 'cancel'],
  dispatched: ['assign', 'unassign', 'start', 'cancel', 'step'],
  in_progress: ['assign', 'complete', 'cancel', 'step'],
  completed: ['reopen'],
  cancelled: ['reopen'],
};

interface WorkOrderModel {
  status: string;
  truck: number | null;
  events: string[];
}

interface Model {
  workOrders: WorkOrderModel[];
}

interface Real {
  client: TestClient;
  workOrders: string[];
  trucks: string[];
  listEvents: (id: string) => Promise<string[]>;
}

const isUnderWay = ({ status }: WorkOrderModel) => status === 'dispatched' || status === 'in_progress';

/**
 * Compares all work orders and trucks with the model, because an action must not change other
 * records.
 */
async function compare(model: Model, real: Real): Promise<void> {
  for (const [nth, workOrder] of model.workOrders.entries()) {
    const { body } = await real.client.get(`/work-orders/${real.workOrders[nth]}`);
    const truck = workOrder.truck === null ? null : real.trucks[workOrder.truck];
    expect(body, `work order ${nth}`).to.include({ status: workOrder.status, truck_id: truck });
    expect(body.allowed_actions, workOrder.status).to.have.members(ALLOWED[workOrder.status] as string[]);
    expect(body.dispatch_time === null, 'dispatch_time').to.equal(workOrder.truck === null);
    expect(body.completion_time !== null, 'completion_time').to.equal(workOrder.status === 'completed');
    expect(await real.listEvents(real.workOrders[nth] as string)).to.deep.equal(workOrder.events);
  }
  for (const [nth, id] of real.trucks.entries()) {
    const on = model.workOrders.findIndex((workOrder) => isUnderWay(workOrder) && workOrder.truck === nth);
    const { body } = await real.client.get(`/trucks/${id}`);
    expect(body.current_work_order_id, `truck ${nth}`).to.equal(on < 0 ? null : real.workOrders[on]);
  }
}

class ActionCommand implements fc.AsyncCommand<Model, Real> {
  constructor(
    readonly nth: number,
    readonly action: string,
  ) {}
  check = () => true;

  async run(model: Model, real: Real): Promise<void> {
    const workOrder = model.workOrders[this.nth] as WorkOrderModel;
    const body = this.action === 'cancel' ? { reason: 'customer' } : {};
    const response = await real.client.post(`/work-orders/${real.workOrders[this.nth]}/${this.action}`, body);
    const to = NEXT[workOrder.status]?.[this.action];
    const isAllowed = to !== undefined;
    expect(response.status, `${workOrder.status} ${this.action}: ${response.text}`).to.equal(
      isAllowed ? 200 : 409,
    );
    if (isAllowed && to !== workOrder.status) {
      if (this.action === 'unassign') workOrder.truck = null;
      if (this.action === 'complete') workOrder.events.push('work_order.completed');
      workOrder.status = to;
    }
    await compare(model, real);
  }
  toString = () => `${this.action} work order ${this.nth}`;
}

class AssignCommand implements fc.AsyncCommand<Model, Real> {
  constructor(
    readonly nth: number,
    readonly truck: number,
  ) {}
  check = () => true;

  async run(model: Model, real: Real): Promise<void> {
    const workOrder = model.workOrders[this.nth] as WorkOrderModel;
    const response = await real.client.post(`/work-orders/${real.workOrders[this.nth]}/assign`, {
      truck_id: real.trucks[this.truck],
    });
    const holder = model.workOrders.find(
      (other) => other !== workOrder && isUnderWay(other) && other.truck === this.truck,
    );
    if (!ASSIGNABLE.includes(workOrder.status) || holder) {
      expect(response.status, `${workOrder.status} assign: ${response.text}`).to.equal(409);
    } else {
      expect(response.status, response.text).to.equal(200);
      const isSame = workOrder.status === 'dispatched' && workOrder.truck === this.truck;
      if (!isSame) workOrder.events.push('dispatch.assigned');
      Object.assign(workOrder, { status: 'dispatched', truck: this.truck });
    }
    await compare(model, real);
  }
  toString = () => `assign truck ${this.truck} to work order ${this.nth}`;
}

const workOrder = fc.nat(WORK_ORDER_COUNT - 1);
const steps = fc.commands(
  [
    fc
      .tuple(workOrder, fc.constantFrom('accept', 'unassign', 'start', 'complete', 'cancel'))
      .map(([nth, action]) => new ActionCommand(nth, action)),
    fc
      .tuple(workOrder, fc.constantFrom('start', 'complete'))
      .map(([nth, action]) => new ActionCommand(nth, action)),
    fc.tuple(workOrder, fc.nat(TRUCK_COUNT - 1)).map(([nth, truck]) => new AssignCommand(nth, truck)),
  ],
  { maxCommands: 20, size: 'max' },
);

describe(`any sequence of actions on work orders and trucks (seed ${SEED}; FC_SEED repeats it)`, () => {
  const stack = useStack();
  const tenant = useTenant(stack);
  let serial = 0;

  async function setup(): Promise<{ model: Model; real: Real }> {
    const { client } = tenant;
    const make = async (path: string, body: Record<string, unknown>) =>
      (await client.post(path, body)).body.id;
    const workOrders: string[] = [];
    for (let nth = 0; nth < WORK_ORDER_COUNT; nth += 1)
      workOrders.push(await make('/work-orders', { service_type: 'tow' }));
    const trucks: string[] = [];
    for (let nth = 0; nth < TRUCK_COUNT; nth += 1) {
      serial += 1;
      trucks.push(await make('/trucks', { unit_number: `M-${serial}`, duty_class: 'light' }));
    }
    const listEvents = async (id: string) => {
      const text = `select type from events where body::jsonb #>> '{data,object,id}' = '${id}' order by id`;
      return (await stack.rows<{ type: string }>(tenant.id, text)).map(({ type }) => type);
    };
    const model = {
      workOrders: workOrders.map(() => ({ status: 'pending', truck: null, events: ['work_order.created'] })),
    };
    return { model, real: { client, workOrders, trucks, listEvents } };
  }

  it('work orders reach only allowed states, share no truck and record every event', async () => {
    const property = fc.asyncProperty(steps, async (commands) => {
      await fc.asyncModelRun(setup, commands);
    });
    await fc.assert(property, { numRuns: RUNS, seed: SEED });
  });
});
