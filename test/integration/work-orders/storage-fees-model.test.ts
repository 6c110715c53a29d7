import { expect } from 'chai';
import fc from 'fast-check';
import { findDueStorageAccruals } from '../../../shared/resources/impounds/storage-sweep.js';
import { runIsolated } from '../../../workers/writes/isolate-commands.js';
import type { TestResponse } from '../../support/client.js';
import { countRuns } from '../../support/count-runs.js';
import {
  buildRateCardItem,
  createCompletedWorkOrder,
  makeRateCard,
  STORAGE_ITEM,
} from '../../support/records/priced-work-orders.js';
import { lineItem } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';
import { createBatchContext } from '../../support/writes/batch-context.js';

const SEED = Number(process.env.FC_SEED ?? Date.now() | 0);
const RUNS = countRuns(20);
const RATE = 4321;
const HOOK_UP = 7500;

interface Bill {
  id: string;
  days: number;
  hasHookUp: boolean;
  isActive: boolean;
}

interface Model {
  days: number;
  accrued: number;
  isReleased: boolean;
  bills: Bill[];
}

interface Real {
  workOrder: string;
  impound: string;
  post: (path: string, body?: unknown) => Promise<TestResponse>;
  patch: (path: string, body: unknown) => Promise<TestResponse>;
  get: (path: string) => Promise<TestResponse>;
  sweep: () => Promise<void>;
  age: (days: number) => Promise<unknown>;
}

const listActiveBills = (model: Model) => model.bills.filter((bill) => bill.isActive);
const countInvoicedDays = (model: Model) => listActiveBills(model).reduce((sum, bill) => sum + bill.days, 0);
const countDueDays = (model: Model) => (model.isReleased ? model.accrued : model.days);
let serial = 0;
const newBill = (workOrder: string) => {
  serial += 1;
  return { invoice_number: `STORED-${serial}`, work_order_id: workOrder, billing_email: 'b@example.com' };
};

/**
 * Compares the impound and its bills with the model. Runs after each step, so that a lost or doubly
 * charged day shows at that step.
 */
async function compare(model: Model, real: Real): Promise<void> {
  const impound = (await real.get(`/impounds/${real.impound}`)).body;
  // The stack's clock also runs, and may have accrued the due days before the test's own sweep.
  if (impound.accrued_days === countDueDays(model)) model.accrued = countDueDays(model);
  expect(impound).to.include({
    days: model.days,
    accrued_days: model.accrued,
    storage_cents: model.accrued * RATE,
    invoiced_days: countInvoicedDays(model),
    unbilled_days: model.accrued - countInvoicedDays(model),
  });
  let cents = 0;
  for (const bill of listActiveBills(model)) {
    const { subtotal_cents } = (await real.get(`/invoices/${bill.id}`)).body;
    expect(subtotal_cents).to.equal(bill.days * RATE + (bill.hasHookUp ? HOOK_UP : 0));
    cents += subtotal_cents - (bill.hasHookUp ? HOOK_UP : 0);
  }
  expect(cents + impound.unbilled_days * RATE, 'invoiced and unbilled storage add up').to.equal(
    impound.storage_cents,
  );
}

type Step = (model: Model, real: Real) => Promise<void>;

class ActionCommand implements fc.AsyncCommand<Model, Real> {
  constructor(
    readonly name: string,
    readonly step: Step,
  ) {}
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    await this.step(model, real);
    await compare(model, real);
  }
  toString = () => this.name;
}

const age = (days: number) =>
  new ActionCommand(`age ${days}`, async (model, real) => {
    if (model.isReleased) return;
    await real.age(days);
    model.days += days;
  });

const sweep = (times: number) =>
  new ActionCommand(`sweep ${times}`, async (model, real) => {
    await Promise.all(Array.from({ length: times }, () => real.sweep()));
    model.accrued = countDueDays(model);
  });

/**
 * Sends concurrent requests to create an invoice. Exactly one succeeds if any charge is not billed
 * yet, otherwise none.
 */
const bill = (times: number) =>
  new ActionCommand(`bill ${times}`, async (model, real) => {
    const open = countDueDays(model) - countInvoicedDays(model);
    const hasHookUp = !listActiveBills(model).some((one) => one.hasHookUp);
    const responses = await Promise.all(
      Array.from({ length: times }, () => real.post('/invoices', newBill(real.workOrder))),
    );
    const made = responses.filter(({ status }) => status === 201);
    expect(made).to.have.length(open > 0 || hasHookUp ? 1 : 0);
    for (const { status, text } of responses) expect(status, text).to.be.oneOf([201, 409]);
    for (const { body } of made) {
      model.accrued = countDueDays(model);
      model.bills.push({ id: body.id, days: open, hasHookUp, isActive: true });
    }
  });

const voidOrCancel = (nth: number, isSent: boolean) =>
  new ActionCommand(`${isSent ? 'void' : 'cancel'} ${nth}`, async (model, real) => {
    const one = listActiveBills(model)[nth % Math.max(1, listActiveBills(model).length)];
    if (!one) return;
    // Cancel an invoice without line items, because it cannot be approved and sent.
    const isEmpty = one.days === 0 && !one.hasHookUp;
    const actions = isSent && !isEmpty ? ['approve', 'send', 'void'] : ['cancel'];
    for (const action of actions) {
      const response = await real.post(`/invoices/${one.id}/${action}`, { reason: 'model' });
      expect(response.status, response.text).to.equal(200);
    }
    one.isActive = false;
  });

/** Replaces the line items of a draft, so that its storage days become unbilled again. */
const rewrite = (nth: number) =>
  new ActionCommand(`rewrite ${nth}`, async (model, real) => {
    const one = listActiveBills(model)[nth % Math.max(1, listActiveBills(model).length)];
    if (!one) return;
    const line_items = [lineItem({ category: 'hook_up', unit_price_cents: HOOK_UP })];
    expect((await real.patch(`/invoices/${one.id}`, { line_items })).status).to.equal(200);
    Object.assign(one, { days: 0, hasHookUp: true });
  });

const release = new ActionCommand('release', async (model, real) => {
  const response = await real.post(`/impounds/${real.impound}/release`, { kind: 'owner' });
  expect(response.status, response.text).to.equal(200);
  model.accrued = countDueDays(model);
  model.isReleased = true;
});

const steps = fc.commands(
  [
    fc.integer({ min: 1, max: 9 }).map(age),
    fc.integer({ min: 1, max: 3 }).map(sweep),
    fc.integer({ min: 1, max: 3 }).map(bill),
    fc.tuple(fc.nat(4), fc.boolean()).map(([nth, isSent]) => voidOrCancel(nth, isSent)),
    fc.nat(4).map(rewrite),
    fc.constant(release),
  ],
  { maxCommands: 14, size: 'max' },
);

describe(`storage fees under any sequence of accruals, releases and invoices (seed ${SEED}; FC_SEED repeats it)`, () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Yard', { timeZone: 'UTC' });

  before(async () => {
    await makeRateCard(tenant.client, {
      is_default: true,
      items: [buildRateCardItem({ unit_price_cents: HOOK_UP }), STORAGE_ITEM],
    });
  });

  async function setup(): Promise<{ model: Model; real: Real }> {
    const { client } = tenant;
    const { db } = stack.runtime;
    const workOrder = await createCompletedWorkOrder(client);
    const impound = (await client.post('/impounds', { work_order_id: workOrder, daily_rate_cents: RATE }))
      .body.id;
    const real: Real = {
      workOrder,
      impound,
      post: (path, body) => client.post(path, body),
      patch: (path, body) => client.patch(path, body),
      get: (path) => client.get(path),
      sweep: async () => {
        const found = await db.transaction([tenant.id], (tx) => findDueStorageAccruals(tx, 1000));
        await runIsolated(createBatchContext(stack.runtime), found);
      },
      age: (days) =>
        stack.rows(
          tenant.id,
          `update impounds set impounded_at = impounded_at - interval '${days} days' where tenant_id = $1 and id = $2`,
          [tenant.id, impound],
        ),
    };
    return { model: { days: 1, accrued: 1, isReleased: false, bills: [] }, real };
  }

  it('invoices bill each storage day at most once, and after the release all days are billed', async () => {
    const property = fc.asyncProperty(steps, async (commands) => {
      const { model, real } = await setup();
      await fc.asyncModelRun(() => ({ model, real }), commands);
      await release.run(model, real);
      await bill(1).run(model, real);
      expect(countInvoicedDays(model)).to.equal(model.days);
    });
    await fc.assert(property, { numRuns: RUNS, seed: SEED });
  });
});
