import { listAllowedActions } from '../../shared/resources/invoices/transitions.js';

const INVOICE = '0192f1b4-5d6e-7f70-8b1c-2d3e4f5a6b7c';
const CUSTOMER = '0192e7a1-1b2c-7d3e-9f4a-5b6c7d8e9f0a';
const DRIVER = '0192f1c4-2b3c-7d4e-8f5a-6b7c8d9e0f1b';
const TRUCK = '0192f1c4-2b3c-7d4e-8f5a-6b7c8d9e0f1a';
const METHOD = '0192f1c4-1a2b-7c3d-8e4f-5a6b7c8d9e0f';
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
  // `tax_cents` is 8.25 % of `tow`, the only taxable line item.
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
  allowed_actions: listAllowedActions({ status: 'draft', isReleased: false, isDelivered: false }, false),
  effective_due_date: '2026-12-21T05:00:00.000Z',
  created_at: CREATED_AT,
  updated_at: CREATED_AT,
  recurring_invoice_id: null,
};

const lineItems = [
  { id: '0192f1b4-5d6f-7a10-9c2d-3e4f5a6b7c8d', position: 1, ...tow },
  { id: '0192f1b4-5d6f-7b20-8d3e-4f5a6b7c8d9e', position: 2, ...miles },
];

const sent = {
  ...draft,
  status: 'sending',
  sent_at: '2026-11-21T14:35:00.000Z',
  delivery: { state: 'sent', reason: null, viewed_at: null },
  allowed_actions: listAllowedActions({ status: 'sending', isReleased: true, isDelivered: true }, false),
  updated_at: '2026-11-21T14:35:00.000Z',
};

const customer = {
  company_name: 'Hudson Auto Club',
  company_type: 'motor_club',
  billing_email: 'billing@example.com',
  primary_phone: '+1 212 555 0100',
  address: '12 Canal Street',
  city: 'Albany',
  state: 'NY',
  zip: '12207',
  terms_days: 30,
  tax_exempt: false,
};

const vehicle = { make: 'Honda', model: 'Accord', year: 2019 };

/**
 * Complete examples by component name. `getExample` builds the examples of all other components
 * from their members. The examples of request bodies contain no id of a record, so that every
 * account can send them. Only `CustomerPatch` names a payment method, `VehicleLink` a truck, and
 * `DriverLink` a driver.
 */
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
  Invoice: { ...draft, line_items: lineItems },
  InvoiceListItem: draft,
  SentInvoice: { ...sent, line_items: lineItems, view_url: 'https://api.example.com/i/k3Jq81' },
  WorkOrderCreate: {
    service_type: 'light_duty_tow',
    pickup: { address: 'I-87 N at exit 4', lat: 42.7156, lng: -73.8246 },
    dropoff: { address: '12 Canal Street, Albany', lat: 42.6481, lng: -73.7502 },
    vehicle,
    vin: '1HGCM82633A004352',
    contact_name: 'Jane Roe',
    contact_phone: '+1 212 555 0142',
    notes: 'Keys are with the officer.',
  },
  CustomerCreate: customer,
  CustomerPatch: {
    billing_email: 'accounts@example.com',
    terms_days: 45,
    autopay: { payment_method_id: METHOD, when: 'due_date' },
  },
  Customer: {
    id: CUSTOMER,
    ...customer,
    is_active: true,
    tax_rate_bps: null,
    rate_card_id: null,
    autopay: null,
    billing_connection_id: null,
    coverage: null,
    balance_cents: 41_250,
    overdue_cents: 12_500,
    credit_cents: 0,
    created_at: CREATED_AT,
    updated_at: CREATED_AT,
  },
  TruckCreate: {
    unit_number: 'T-900',
    duty_class: 'light',
    status: 'available',
    plate: 'TOW 123',
    make: 'Ford',
    model: 'F-550',
    year: 2024,
  },
  InspectionCreate: {
    kind: 'pre_trip',
    vehicle: { plate: 'TOW 123', make: 'Ford', model: 'F-550', year: 2024 },
    odometer_miles: 48_210,
    items: [
      { key: 'brakes', label: 'Brakes hold', state: 'ok' },
      { key: 'lights', label: 'All lights work', state: 'attention', note: 'Left marker flickers' },
    ],
  },
  RateCardCreate: {
    name: 'Example rates',
    effective_from: '2027-01-01',
    items: [
      { name: 'Hook-up', category: 'hook_up', unit_type: 'flat', unit_price_cents: 7500, taxable: true },
      {
        name: 'Loaded miles',
        category: 'mileage',
        unit_type: 'mile',
        unit_price_cents: 450,
        included_quantity: 5,
      },
    ],
  },
  ImpoundCreate: {
    vehicle: { ...vehicle, plate: 'ABC 1234', color: 'silver' },
    lot: 'North yard',
    spot: 'B-14',
    daily_rate_cents: 4500,
    free_days: 0,
  },
  ClubOfferCreate: {
    reference: 'IMC-2026-118834',
    service_type: 'light_duty_tow',
    pickup: { address: 'I-87 N at exit 4', lat: 42.7156, lng: -73.8246 },
    dropoff_location: '12 Canal Street, Albany',
    vehicle,
    contact_name: 'Jane Roe',
    contact_phone: '+1 212 555 0142',
    po_number: 'PO-88213',
    offered_cents: 8500,
  },
  ClubOfferAccept: { eta_minutes: 35 },
  RemittanceCreate: {
    payer: 'Interstate Motor Club',
    reference: 'EFT 5521',
    paid_on: '2026-11-20',
    total_cents: 21_000,
    lines: [
      { po_number: 'PO-88213', invoice_number: 'INV-1001', amount_cents: 12_500 },
      { po_number: 'PO-88240', amount_cents: 8_500, note: 'Mileage cap' },
    ],
  },
  RemittanceLinePatch: { ignored_reason: 'A fee of the club' },
  WebhookReplayCreate: { event_type: 'invoice.*', status: 'exhausted', since: '2026-11-01T00:00:00Z' },
  VehicleLink: { truck_id: TRUCK },
  DriverLink: { driver_id: DRIVER },
  UserCreate: { name: 'Robin Example', email: 'robin@example.com' },
};
