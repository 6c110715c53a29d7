import { expect } from 'chai';
import fc from 'fast-check';
import type { TestResponse } from '../../support/client.js';
import { countRuns } from '../../support/count-runs.js';
import { expectError } from '../../support/expect-error.js';
import { invoiceInput, lineItem } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

/** The seed is fixed, so that every run sends the same bodies and a failure can be reproduced. */
const SEED = 20_261_121;
const ALL_RUNS = 300;
const RUNS = countRuns(ALL_RUNS);

const VALID = JSON.stringify({
  invoice_number: 'FUZZ-é',
  customer_id: null,
  due_date: '2026-11-21T14:30:00+02:00',
  notes: 'two\nlines é ✓',
  line_items: [
    lineItem({ quantity: 2.5, unit_price_cents: 1999 }),
    lineItem({ category: 'discount', unit_price_cents: -100 }),
  ],
});

type Mutation = [kind: 'replace' | 'insert' | 'delete' | 'copy', at: number, byte: number];

function mutate(text: string, mutations: Mutation[]): Buffer {
  return mutations.reduce((bytes, [kind, at, byte]) => {
    const position = at % (bytes.length + 1);
    const [before, after] = [bytes.subarray(0, position), bytes.subarray(position)];
    if (kind === 'insert') return Buffer.concat([before, Buffer.of(byte), after]);
    if (kind === 'copy') return Buffer.concat([before, after.subarray(0, byte), after]);
    return Buffer.concat([before, kind === 'replace' ? Buffer.of(byte) : Buffer.alloc(0), after.subarray(1)]);
  }, Buffer.from(text));
}

const mutations = fc.array(
  fc.tuple(
    fc.constantFrom('replace', 'insert', 'delete', 'copy'),
    fc.nat(2000),
    fc.nat(255),
  ) as fc.Arbitrary<Mutation>,
  { minLength: 1, maxLength: 6 },
);

const oddText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme', maxLength: 400 }),
  fc.emailAddress(),
  fc.uuid(),
  fc.constantFrom(
    'é@example.com',
    'a@exämple.de',
    '"a b"@example.com',
    'constructor',
    '',
    ' ',
    '\n',
    '\u200b',
  ),
);
const oddTime = fc.oneof(
  fc
    .date({ noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-12-31') })
    .map((date) => date.toISOString()),
  fc.constantFrom(
    '2026-01-01T00:00:00+23:59',
    '2026-01-01T00:00:00-16:00',
    '9999-12-31T23:59:59-12:00',
    '9999-12-31T23:59:59.999999999Z',
    '0001-01-01T00:00:00+12:00',
    '2026-06-30t23:59:59.123456789z',
    '2026-06-30T23:59:60Z',
    '2026-02-30',
    '0001-01-01',
    '9999-12-31',
    'infinity',
    'now',
  ),
);
const oddNumber = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(-0, 5e-324, 1e-7, 0.00005, 0.0001, 1e6, 1e9, 1e15, 2 ** 31, 2 ** 53 - 1, -1),
);
const oddValue = fc.oneof(oddText, oddTime, oddNumber, fc.boolean(), fc.constant(null), fc.jsonValue());

/**
 * Generates a body that is valid except for odd values in at most two members. With more odd
 * values, the API would reject every body for several reasons at once.
 */
function oddBody(valid: Record<string, unknown>): fc.Arbitrary<Record<string, unknown>> {
  const oddMembers = fc.dictionary(fc.constantFrom(...Object.keys(valid)), oddValue, {
    maxKeys: 2,
    noNullPrototype: true,
  });
  return oddMembers.map((members) => ({ ...valid, ...members }));
}

const oddLineItems = fc.array(oddBody({ ...lineItem(), description: 'x', taxable: true }), { maxLength: 2 });
const TIME = '2026-01-01T00:00:00Z';

const INVOICE = invoiceInput();

const BODIES: Record<string, fc.Arbitrary<Record<string, unknown>>> = {
  '/invoices': oddBody({
    ...INVOICE,
    billing_email: 'a@example.com',
    po_number: 'p',
    notes: 'n',
    vehicle_description: 'v',
    customer_id: null,
    work_order_id: null,
    service_date: TIME,
    due_date: TIME,
  }),
  '/invoices#line_items': oddLineItems.map((line_items) => ({ ...INVOICE, line_items })),
  '/work-orders': oddBody({
    service_type: 'tow',
    vin: '1HGCM82633A004352',
    notes: 'n',
    unit_number: '7',
    contact_phone: '1',
    contact_name: 'c',
    pickup_location: 'a',
    dropoff_location: 'b',
    customer_id: null,
    pickup: null,
    dropoff: null,
    vehicle: null,
  }),
  '/work-orders#nested': fc
    .tuple(oddBody({ address: 'a', lat: 1, lng: 2 }), oddBody({ make: 'm', model: 'n', year: 2000 }))
    .map(([place, vehicle]) => ({ service_type: 'tow', pickup: place, dropoff: place, vehicle })),
  '/customers': oddBody({
    company_name: 'A',
    company_type: 'other',
    billing_email: 'a@example.com',
    primary_phone: '1',
    terms_days: 1,
    tax_rate_bps: 1,
    tax_exempt: false,
    address: 'a',
    city: 'b',
    state: 'c',
    zip: '1',
  }),
  '/trucks': fc
    .tuple(
      oddBody({ duty_class: 'light', status: 'available', vin: 'V', plate: 'p', make: 'm', year: 2000 }),
      oddBody({ lat: 1, lng: 2, heading: 3, speed_mph: 4, at: TIME }),
    )
    .map(([body, location]) => ({ unit_number: crypto.randomUUID().slice(4), ...body, location })),
  '/drivers': oddBody({ name: 'D', phone: '1', duty_classes: ['light'], status: 'active' }),
  '/inspections': fc
    .oneof(
      oddBody({ key: 'horn', label: 'l', state: 'ok', note: 'n' }).map((item) => ({ items: [item] })),
      oddBody({ component: 'c', severity: 'minor', resolved_at: TIME, resolved_by: 'r' }).map((defect) => ({
        defects: [defect],
      })),
      oddBody({ slot: 'front', phase: 'before', url: 'https://example.com/a', taken_at: TIME }).map(
        (photo) => ({ photos: [photo] }),
      ),
      oddBody({ vin: 'V', plate: 'p', make: 'm', model: 'n', year: 2000 }).map((vehicle) => ({ vehicle })),
      oddBody({ truck_id: null, driver_id: null, odometer_miles: 1, notes: 'n', items: [], vehicle: null }),
    )
    .map((members) => ({ kind: 'pre_trip', ...members })),
  '/api-keys': oddBody({
    name: 'k',
    permissions: ['read'],
    read_only: false,
    tier: 'starter',
    expires_at: TIME,
  }),
};

describe('fuzzed requests', () => {
  const stack = useStack();
  const tenant = useTenant(stack);

  /** Asserts that the status is no 5xx, and that any error has the envelope. */
  function expectNoServerError(response: TestResponse): void {
    expect(response.status, response.text).to.be.lessThan(500);
    if (response.status < 400) return;
    expectError(response, response.status, response.body?.error?.code);
  }

  it('POST /invoices answers every mutation of a valid body with success or the error envelope', async () => {
    const statuses = new Set<number>();
    const property = fc.asyncProperty(mutations, async (list) => {
      const response = await tenant.client.call('POST', '/invoices', { raw: mutate(VALID, list) });
      expectNoServerError(response);
      statuses.add(response.status);
    });
    // Run all cases, because few mutations leave the body valid.
    await fc.assert(property, { seed: SEED, numRuns: ALL_RUNS });
    // If every response were a 400, no mutation would have got past the parser.
    expect([...statuses]).to.include.members([201, 400, 409]);
  });

  for (const [name, bodies] of Object.entries(BODIES)) {
    it(`POST ${name} with odd values is never 5xx, and every stored record can be read`, async () => {
      const [path = ''] = name.split('#');
      let accepted = 0;
      const property = fc.asyncProperty(bodies, async (body) => {
        // Make the invoice number unique. Otherwise the API would refuse most bodies because their
        // number is already used.
        const isUsual = body.invoice_number === INVOICE.invoice_number;
        const number = isUsual ? { invoice_number: `FUZZ-${crypto.randomUUID()}` } : {};
        const response = await tenant.client.post(path, { ...body, ...number });
        expectNoServerError(response);
        if (response.status < 300) accepted += 1;
        // Skip other responses: after a 202, the record may not exist yet.
        if (response.status !== 201) return;
        const read = await tenant.client.get(`${path}/${response.body.id}`);
        expect(read.status, read.text).to.equal(200);
      });
      await fc.assert(property, { seed: SEED, numRuns: RUNS });
      expect(accepted).to.be.greaterThan(RUNS / 15);
    });
  }

  it('lists with odd query parameters are never 5xx', async () => {
    const names = [
      'status',
      'limit',
      'cursor',
      'since',
      'until',
      'date_field',
      'customer_id',
      'search',
      'expand',
      'is_active',
      'x',
    ];
    const query = fc.dictionary(
      fc.constantFrom(...names),
      fc.oneof(oddText, oddTime, oddNumber.map(String)),
      { maxKeys: 2 },
    );
    const paths = fc.constantFrom(
      '/invoices',
      '/work-orders',
      '/customers',
      '/api-keys',
      '/trucks',
      '/drivers',
      '/inspections',
    );
    const property = fc.asyncProperty(paths, query, async (path, parameters) => {
      expectNoServerError(await tenant.client.get(`${path}?${new URLSearchParams(parameters)}`));
    });
    await fc.assert(property, { seed: SEED, numRuns: RUNS });
  });
});
