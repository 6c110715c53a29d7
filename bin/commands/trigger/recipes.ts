import { randomBytes } from 'node:crypto';
import type { BUSINESS_EVENT_TYPES } from '../../../shared/contracts/vocabulary.js';

/** A record as the API answers it. */
export type ApiRecord = Record<string, unknown> & { id: string };

/** Writes through the public API. */
export type Post = (path: string, body?: unknown) => Promise<ApiRecord>;

/** Makes an event happen. Resolves with the id of the record that it will be about. */
type Recipe = (post: Post) => Promise<string>;

const LINE = {
  name: 'Light-duty tow',
  category: 'tow',
  quantity: 1,
  unit_type: 'each',
  unit_price_cents: 12_500,
  total_cents: 12_500,
};

/** What belongs to one run, so that it meets nothing of another. */
function mark(): string {
  return `TRIGGER-${randomBytes(4).toString('hex')}`;
}

function createInvoice(post: Post, fields: Record<string, unknown> = {}): Promise<ApiRecord> {
  const known = { invoice_number: mark(), billing_email: 'billing@example.com', line_items: [LINE] };
  return post('/invoices', { ...known, ...fields });
}

async function approvedInvoice(post: Post, fields: Record<string, unknown> = {}): Promise<ApiRecord> {
  const { id } = await createInvoice(post, fields);
  return post(`/invoices/${id}/approve`);
}

async function sentInvoice(post: Post, fields: Record<string, unknown> = {}): Promise<string> {
  const { id } = await approvedInvoice(post, fields);
  await post(`/invoices/${id}/send`, { channel: 'email' });
  return id;
}

async function createJob(post: Post): Promise<string> {
  const job = { service_type: 'light_duty_tow', pickup_location: 'I-87 N at exit 4' };
  return (await post('/work-orders', job)).id;
}

async function assignedJob(post: Post): Promise<string> {
  const driver = await post('/drivers', { name: 'Dan Driver', phone: '+1 212 555 0100' });
  const truck = await post('/trucks', { unit_number: mark(), duty_class: 'light', driver_id: driver.id });
  const id = await createJob(post);
  await post(`/work-orders/${id}/assign`, { truck_id: truck.id });
  return id;
}

/** The eight events of the specification (section 6), each by the shortest way to it. */
const RECIPES = {
  'invoice.created': async (post) => (await createInvoice(post)).id,
  'invoice.sent': (post) => sentInvoice(post),
  'invoice.paid': async (post) => {
    const { id, total_cents } = await approvedInvoice(post);
    await post(`/invoices/${id}/payments`, { amount_cents: total_cents, method: 'cash' });
    return id;
  },
  'invoice.overdue': (post) => sentInvoice(post, { due_date: '2020-01-31T12:00:00Z' }),
  'work_order.created': createJob,
  'work_order.completed': async (post) => {
    const id = await assignedJob(post);
    await post(`/work-orders/${id}/start`);
    await post(`/work-orders/${id}/complete`, { miles: 7.5 });
    return id;
  },
  'dispatch.assigned': assignedJob,
  // The same job billed twice.
  'ai.suggestion.created': async (post) => {
    const work_order_id = await createJob(post);
    await createInvoice(post, { work_order_id });
    return (await createInvoice(post, { work_order_id })).id;
  },
} satisfies Record<(typeof BUSINESS_EVENT_TYPES)[number], Recipe>;

export type TriggerableType = keyof typeof RECIPES;

export const TRIGGERABLE = Object.keys(RECIPES) as TriggerableType[];

/** Those that the clock finds, which looks twice a minute. */
export const OF_THE_CLOCK: readonly TriggerableType[] = ['invoice.overdue', 'ai.suggestion.created'];

/** Makes an event of this type happen. Resolves with the id of the record that it will be about. */
export function makeHappen(type: TriggerableType, post: Post): Promise<string> {
  return RECIPES[type](post);
}
