import { randomBytes } from 'node:crypto';
import type { BUSINESS_EVENT_TYPES } from '../../../shared/contracts/vocabulary.js';

export type ApiRecord = Record<string, unknown> & { id: string };

/** Sends a POST request to the public API. */
export type Post = (path: string, body?: unknown) => Promise<ApiRecord>;

/**
 * Makes API calls that cause an event. Resolves with the id of the record that the event is about.
 */
type Recipe = (post: Post) => Promise<string>;

const LINE_ITEM = {
  name: 'Light-duty tow',
  category: 'tow',
  quantity: 1,
  unit_type: 'each',
  unit_price_cents: 12_500,
  total_cents: 12_500,
};

/** Returns a new random text, so that the records of two runs do not collide in unique fields. */
function newUniqueMark(): string {
  return `TRIGGER-${randomBytes(4).toString('hex')}`;
}

function createInvoice(post: Post, fields: Record<string, unknown> = {}): Promise<ApiRecord> {
  const known = {
    invoice_number: newUniqueMark(),
    billing_email: 'billing@example.com',
    line_items: [LINE_ITEM],
  };
  return post('/invoices', { ...known, ...fields });
}

async function createApprovedInvoice(post: Post, fields: Record<string, unknown> = {}): Promise<ApiRecord> {
  const { id } = await createInvoice(post, fields);
  return post(`/invoices/${id}/approve`);
}

async function createSentInvoice(post: Post, fields: Record<string, unknown> = {}): Promise<string> {
  const { id } = await createApprovedInvoice(post, fields);
  await post(`/invoices/${id}/send`, { channel: 'email' });
  return id;
}

async function createWorkOrder(post: Post): Promise<string> {
  const workOrder = { service_type: 'light_duty_tow', pickup_location: 'I-87 N at exit 4' };
  return (await post('/work-orders', workOrder)).id;
}

async function createAssignedWorkOrder(post: Post): Promise<string> {
  const driver = await post('/drivers', { name: 'Dan Driver', phone: '+1 212 555 0100' });
  const truck = await post('/trucks', {
    unit_number: newUniqueMark(),
    duty_class: 'light',
    driver_id: driver.id,
  });
  const id = await createWorkOrder(post);
  await post(`/work-orders/${id}/assign`, { truck_id: truck.id });
  return id;
}

/** The shortest sequence of calls for each of the eight events in docs/specification.md §6. */
const RECIPES = {
  'invoice.created': async (post) => (await createInvoice(post)).id,
  'invoice.sent': (post) => createSentInvoice(post),
  'invoice.paid': async (post) => {
    const { id, total_cents } = await createApprovedInvoice(post);
    await post(`/invoices/${id}/payments`, { amount_cents: total_cents, method: 'cash' });
    return id;
  },
  'invoice.overdue': (post) => createSentInvoice(post, { due_date: '2020-01-31T12:00:00Z' }),
  'work_order.created': createWorkOrder,
  'work_order.completed': async (post) => {
    const id = await createAssignedWorkOrder(post);
    await post(`/work-orders/${id}/start`);
    await post(`/work-orders/${id}/complete`, { miles: 7.5 });
    return id;
  },
  'dispatch.assigned': createAssignedWorkOrder,
  // Makes two invoices for one work order, so that the detector `duplicate_invoice` makes a
  // suggestion.
  'ai.suggestion.created': async (post) => {
    const work_order_id = await createWorkOrder(post);
    await createInvoice(post, { work_order_id });
    return (await createInvoice(post, { work_order_id })).id;
  },
} satisfies Partial<Record<(typeof BUSINESS_EVENT_TYPES)[number], Recipe>>;

export type TriggerableType = keyof typeof RECIPES;

export const TRIGGERABLE_TYPES = Object.keys(RECIPES) as TriggerableType[];

/** Event types that the clock records, during a check that runs twice a minute. */
export const CLOCK_EVENT_TYPES: readonly TriggerableType[] = ['invoice.overdue', 'ai.suggestion.created'];

/** Causes an event. Resolves with the id of the record that the event is about. */
export function causeEvent(type: TriggerableType, post: Post): Promise<string> {
  return RECIPES[type](post);
}
