import { actionsOf } from '../shared/resources/invoices/transitions.js';

/**
 * Whole examples, by component. The others are made from the examples of their members. An example of a request
 * is valid as it stands: it names no record that another account would not have.
 */
const INVOICE = '0192f1b4-5d6e-7f70-8b1c-2d3e4f5a6b7c';
const CUSTOMER = '0192e7a1-1b2c-7d3e-9f4a-5b6c7d8e9f0a';
const CREATED_AT = '2026-11-21T14:30:00.000Z';

const tow = {
  name: 'Light-duty tow',
  description: 'I-87 N at exit 4 to 12 Canal Street',
  category: 'tow',
  quantity: 1,
  unit_type: 'each',
  unit_price_cents: 12_500,
  total_cents: 12_500,
  taxable: true,
};
const miles = {
  name: 'Loaded miles',
  description: null,
  category: 'mileage',
  quantity: 7.5,
  unit_type: 'mile',
  unit_price_cents: 450,
  total_cents: 3375,
  taxable: false,
};

const draft = {
  id: INVOICE,
  invoice_number: 'EXAMPLE-1001',
  status: 'draft',
  customer_id: CUSTOMER,
  billing_email: 'billing@example.com',
  po_number: 'PO-88213',
  due_date: '2026-12-21T05:00:00.000Z',
  service_date: '2026-11-21T13:20:00.000Z',
  // 8.25 % of the taxable line.
  subtotal_cents: 15_875,
  tax_cents: 1031,
  total_cents: 16_906,
  paid_cents: 0,
  balance_due_cents: 16_906,
  work_order_id: null,
  vehicle_description: '2019 Honda Accord, silver',
  notes: 'Thank you for calling us.',
  sent_at: null,
  delivery: null,
  allowed_actions: actionsOf({ status: 'draft', released: false, delivered: false }, false),
  created_at: CREATED_AT,
  updated_at: CREATED_AT,
};

const lines = [
  { id: '0192f1b4-5d6f-7a10-9c2d-3e4f5a6b7c8d', position: 1, ...tow },
  { id: '0192f1b4-5d6f-7b20-8d3e-4f5a6b7c8d9e', position: 2, ...miles },
];

const sent = {
  ...draft,
  status: 'sending',
  sent_at: '2026-11-21T14:35:00.000Z',
  delivery: { state: 'sent', reason: null, viewed_at: null },
  allowed_actions: actionsOf({ status: 'sending', released: true, delivered: true }, false),
  updated_at: '2026-11-21T14:35:00.000Z',
};

export const EXAMPLES: Record<string, unknown> = {
  InvoiceCreate: {
    invoice_number: 'EXAMPLE-1001',
    billing_email: 'billing@example.com',
    po_number: 'PO-88213',
    service_date: '2026-11-21',
    due_date: '2026-12-21',
    vehicle_description: '2019 Honda Accord, silver',
    notes: 'Thank you for calling us.',
    line_items: [tow, miles],
  },
  InvoicePatch: { po_number: 'PO-88213', due_date: '2026-12-31', notes: 'Net 30 from today.' },
  Invoice: { ...draft, line_items: lines },
  InvoiceListItem: draft,
  SentInvoice: { ...sent, line_items: lines, view_url: 'https://api.example.com/i/k3Jq81' },
};
