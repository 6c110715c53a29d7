import { listAllowedActions } from '../invoices/transitions.js';

/**
 * The examples of all events follow one work order from its booking to the payment, so that they
 * match each other. A record contains only members for which the schema's own example would be
 * wrong.
 */
const WORK_ORDER = '0192f1b0-3c4d-7e5f-8a6b-7c8d9e0f1a2b';
const INVOICE = '0192f1b4-5d6e-7f70-8b1c-2d3e4f5a6b7c';
const CUSTOMER = '0192e7a1-1b2c-7d3e-9f4a-5b6c7d8e9f0a';
const TRUCK = '0192e7a2-2c3d-7e4f-8a5b-6c7d8e9f0a1b';
const DRIVER = '0192e7a3-3d4e-7f50-9b6c-7d8e9f0a1b2c';
const CLUB = '0192e7a5-5f60-7b71-8d8e-9fa0b1c2d3e4';
const ENDPOINT = '0192e7a4-4e5f-7a61-8c7d-8e9f0a1b2c3d';

const BOOKED_AT = '2026-11-21T13:05:00.000Z';
const ASSIGNED_AT = '2026-11-21T13:10:00.000Z';
const COMPLETED_AT = '2026-11-21T14:20:00.000Z';
const BILLED_AT = '2026-11-21T14:25:00.000Z';
const SENT_AT = '2026-11-21T14:30:00.000Z';

const SENT = { isReleased: true, isDelivered: true };

export const bookedWorkOrder = {
  id: WORK_ORDER,
  customer_id: CUSTOMER,
  pickup_location: 'I-87 N at exit 4',
  dropoff_location: '12 Canal Street',
  dispatch_time: null,
  completion_time: null,
  truck_id: null,
  driver_id: null,
  step: null,
  eta: null,
  miles: null,
  cancel_reason: null,
  created_at: BOOKED_AT,
  updated_at: BOOKED_AT,
};
export const dispatchedWorkOrder = {
  ...bookedWorkOrder,
  status: 'dispatched',
  dispatch_time: ASSIGNED_AT,
  truck_id: TRUCK,
  driver_id: DRIVER,
  updated_at: ASSIGNED_AT,
};
export const completedWorkOrder = {
  ...dispatchedWorkOrder,
  status: 'completed',
  billing_status: 'ready_to_bill',
  completion_time: COMPLETED_AT,
  step: 'towing',
  miles: 12.5,
  updated_at: COMPLETED_AT,
};

export const truck = {
  id: TRUCK,
  status: 'assigned',
  driver_id: DRIVER,
  location: null,
  current_work_order_id: WORK_ORDER,
};
export const driver = { id: DRIVER, phone: '+1 212 555 0100' };

export const draftInvoice = {
  id: INVOICE,
  customer_id: CUSTOMER,
  due_date: null,
  service_date: COMPLETED_AT,
  subtotal_cents: 12_500,
  tax_cents: 0,
  total_cents: 12_500,
  paid_cents: 0,
  balance_due_cents: 12_500,
  work_order_id: WORK_ORDER,
  sent_at: null,
  delivery: null,
  allowed_actions: listAllowedActions({ status: 'draft', isReleased: false, isDelivered: false }, false),
  effective_due_date: null,
  created_at: BILLED_AT,
  updated_at: BILLED_AT,
};
export const sentInvoice = {
  ...draftInvoice,
  status: 'sending',
  due_date: '2026-12-21T14:30:00.000Z',
  effective_due_date: '2026-12-21T14:30:00.000Z',
  sent_at: SENT_AT,
  delivery: { state: 'sent', reason: null, viewed_at: null },
  allowed_actions: listAllowedActions({ status: 'sending', ...SENT }, false),
  updated_at: SENT_AT,
};
export const paidInvoice = {
  ...sentInvoice,
  status: 'paid',
  paid_cents: 12_500,
  balance_due_cents: 0,
  allowed_actions: listAllowedActions({ status: 'paid', ...SENT }, true),
};
export const overdueInvoice = {
  ...sentInvoice,
  status: 'overdue',
  due_date: '2026-10-21T14:30:00.000Z',
  effective_due_date: '2026-10-21T14:30:00.000Z',
  sent_at: '2026-09-21T14:30:00.000Z',
  created_at: '2026-09-21T14:25:00.000Z',
  service_date: '2026-09-21T14:20:00.000Z',
  allowed_actions: listAllowedActions({ status: 'overdue', ...SENT }, false),
};
export const receivedText = {
  invoice_id: null,
  work_order_id: WORK_ORDER,
  channel: 'sms',
  direction: 'inbound',
  sender: '+15185550123',
  recipient: '+15185550100',
  subject: null,
  state: 'received',
  provider: 'twilio',
  error: null,
  attempts: 0,
  next_attempt_at: null,
  sent_at: null,
  delivered_at: null,
  link_expires_at: null,
  link_revoked_at: null,
  template: null,
  segments: null,
  text: 'How long will it take?',
  body_text: 'How long will it take?',
  body_html: null,
};

export const receivedOffer = {
  club_id: CLUB,
  status: 'received',
  pickup_location: 'I-87 N at exit 4',
  respond_by: '2026-11-21T13:06:30.000Z',
  answered_at: null,
  eta: null,
  refusal_reason: null,
  refusal_note: null,
  withdrawal_reason: null,
  withdrawal_note: null,
  customer_id: null,
  work_order_id: null,
  progress: null,
  created_at: BOOKED_AT,
  updated_at: BOOKED_AT,
};
export const acceptedOffer = {
  ...receivedOffer,
  status: 'accepted',
  answered_at: '2026-11-21T13:05:40.000Z',
  eta: '2026-11-21T13:40:40.000Z',
  customer_id: CUSTOMER,
  work_order_id: WORK_ORDER,
  progress: 'dispatched',
};
export const refusedOffer = {
  ...receivedOffer,
  status: 'refused',
  answered_at: '2026-11-21T13:05:40.000Z',
  refusal_reason: 'no_truck',
};

export const payment = { invoice_id: INVOICE, amount_cents: 12_500, refunded_cents: 0, credit_cents: 0 };

export const suggestion = {
  entity_id: INVOICE,
  invoice_id: INVOICE,
  amount_cents: 4200,
  proposed_lines: [
    {
      name: 'Loaded miles',
      description: null,
      category: 'mileage',
      quantity: 12.5,
      unit_type: 'mile',
      unit_price_cents: 336,
      total_cents: 4200,
      taxable: true,
    },
  ],
  status: 'open',
  decided_by: null,
  decided_at: null,
  created_at: SENT_AT,
  updated_at: SENT_AT,
};

export const FAILING_SINCE = '2026-11-20T14:30:00.000Z';
export const DISABLES_AT = '2026-11-25T14:30:00.000Z';

export const endpoint = { id: ENDPOINT, url: 'https://example.com/hooks' };
export const failingEndpoint = { ...endpoint, enabled: true };
export const disabledEndpoint = {
  ...endpoint,
  enabled: false,
  disabled_reason: 'failing',
  disabled_at: DISABLES_AT,
};
export const exhaustedDelivery = {
  endpoint_id: ENDPOINT,
  status: 'exhausted',
  attempts: 10,
  next_attempt_at: null,
  last_response_status: 500,
  last_error: 'http_500',
};

export const completedExport = {
  status: 'completed',
  progress: { rows: 1250, bytes: 82_113, estimated_rows: 1300, percent: 100 },
  error: null,
  schedule_id: null,
  download_url: null,
  download_expires_at: null,
  expires_at: '2026-11-28T14:30:00.000Z',
};
