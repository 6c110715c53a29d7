import fc from 'fast-check';
import type Joi from 'joi';

type Json = Record<string, unknown>;

interface Description {
  type: string;
  flags?: { presence?: string; only?: boolean };
  rules?: { name: string; args?: { limit?: number; regex?: string } }[];
  metas?: { format?: string; className?: string; takesDay?: boolean; isPaymentTime?: boolean }[];
  allow?: unknown[];
  keys?: Record<string, Description>;
  items?: Description[];
  patterns?: { rule: Description }[];
}

type Period = Parameters<typeof fc.date>[0];

const PAST_AND_FUTURE = {
  min: new Date('0001-01-02T00:00:00Z'),
  max: new Date('9999-12-30T00:00:00Z'),
  noInvalidDate: true,
};

const PAYMENT_PERIOD = {
  min: new Date('2000-01-02T00:00:00Z'),
  max: new Date(Date.now() + 300 * 24 * 3_600_000),
  noInvalidDate: true,
};

/**
 * RFC 3339 date-times in various spellings: upper or lower case, with or without fractions, and
 * with different offsets.
 */
const generateDateTimes = (period: Period) =>
  fc
    .tuple(
      fc.date(period),
      fc.constantFrom('T', 't'),
      fc.option(fc.stringMatching(/^\.\d{1,9}$/), { nil: '' }),
      fc.constantFrom('Z', 'z', '+00:00', '-05:00', '+15:59', '-00:00'),
    )
    .map(
      ([date, t, fraction, zone]) => `${date.toISOString().slice(0, 19).replace('T', t)}${fraction}${zone}`,
    );

const months = fc
  .date({ min: new Date('2000-01-02'), max: new Date('2999-12-30'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 7));

const generateDays = (period: Period) => fc.date(period).map((date) => date.toISOString().slice(0, 10));
const timesOfDay = fc.stringMatching(/^([01][0-9]|2[0-3]):[0-5][0-9]$/);

const blanks = fc.constantFrom('', ' ', '\t', '  ');

/** Texts without control characters, either plain ASCII or any Unicode. */
const printable = fc.oneof(
  fc.stringMatching(/^[ -~]+$/),
  fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/\p{Cc}/u.test(text)),
);

function strings(description: Description): fc.Arbitrary<string> {
  const { rules = [], metas = [] } = description;
  const rule = (name: string) => rules.find((one) => one.name === name);
  const isTrimmed = rule('trim') !== undefined;
  const padded = (core: fc.Arbitrary<string>) =>
    isTrimmed ? fc.tuple(blanks, core, blanks).map((parts) => parts.join('')) : core;
  const period = metas.some((meta) => meta.isPaymentTime) ? PAYMENT_PERIOD : PAST_AND_FUTURE;
  if (metas.some((meta) => meta.format === 'date-time')) return generateDateTimes(period);
  if (metas.some((meta) => meta.format === 'date')) return generateDays(period);
  if (metas.some((meta) => meta.takesDay)) return fc.oneof(generateDateTimes(period), generateDays(period));
  if (rules.some((one) => one.args?.regex?.startsWith('/^([01]'))) return timesOfDay;
  if (rules.some((one) => one.args?.regex?.startsWith('/^2\\d{3}-(0'))) return months;
  if (metas.some((meta) => meta.format === 'time-zone'))
    return fc.constantFrom('UTC', 'America/New_York', 'Europe/Berlin');
  if (rule('guid'))
    return fc.oneof(
      fc.uuid(),
      fc.uuid().map((id) => id.toUpperCase()),
    );
  if (rule('email')) return padded(emails);
  if (rule('uri')) return padded(fc.webUrl({ validSchemes: ['http', 'https'], withQueryParameters: true }));
  const isType = rules.some((one) => one.name === 'pattern' && one.args?.regex?.includes('\\.'));
  if (isType) return padded(fc.constantFrom('invoice.paid', 'work_order.completed', 'ai.suggestion.created'));
  const pattern = rules.find((one) => one.name === 'pattern' && one.args?.regex?.startsWith('/^[a-z]'));
  if (pattern) return padded(fc.stringMatching(/^[a-z][a-z0-9_]{0,63}$/));
  const isEventType = rules.some((one) => one.name === 'pattern' && one.args?.regex?.startsWith('/^(\\*|'));
  // Do not pad event types. They are members of lists without duplicates. The API trims each
  // member, so it would refuse a list with the same event type in two paddings.
  if (isEventType) return fc.constantFrom('*', 'invoice.*', 'invoice.paid', 'ai.suggestion.*');
  if (rules.some((one) => one.args?.regex === '/^[ -~]+$/'))
    return padded(fc.stringMatching(/^[!-~]([ -~]{0,40}[!-~])?$/));
  const isWithLink = rules.some((one) => one.name === 'pattern' && one.args?.regex?.includes('\\{link\\}('));
  if (isWithLink) return fc.constantFrom('{link}', 'Pay {balance}: {link}', '{link} {company} {link}');
  const hash = rules.find((one) => one.name === 'pattern' && one.args?.regex?.startsWith('/^[0-9a-f]{64}'));
  if (hash) return fc.stringMatching(/^[0-9a-f]{64}$/);
  if (rule('case')) return padded(fc.stringMatching(/^[A-HJ-NPR-Za-hj-npr-z0-9]{1,17}$/));
  // These texts may contain braces only around names of placeholders.
  const hasNames = rules.some((one) => one.args?.regex?.startsWith('/^(?:[^{}]|'));
  const max = rule('max')?.args?.limit ?? 50;
  const min = rule('min')?.args?.limit ?? 1;
  const long = fc.integer({ min, max }).map((length) => 'x'.repeat(length));
  const short = printable
    .map((text) => (hasNames ? text.replace(/[{}]/g, '') : text).trim().slice(0, max))
    .filter((text) => text !== '' && !/\p{Surrogate}/u.test(text))
    .map((text) => text + 'x'.repeat(Math.max(0, min - [...text].length)));
  return padded(fc.oneof(short, long));
}

const emails = fc.oneof(
  fc.emailAddress({ size: 'small' }).filter((address) => address.length <= 254),
  fc.constantFrom('a@b.co', "o'brien+tag@mail.example.com", 'USER_1@EXAMPLE.COM', 'a.b-c@x-y.example.museum'),
);

function numbers({ rules = [] }: Description): fc.Arbitrary<number> {
  const bound = (name: string) => rules.find((rule) => rule.name === name)?.args?.limit;
  const [min, max] = [bound('min') ?? bound('greater') ?? -1000, bound('max') ?? 1000];
  if (rules.some((rule) => rule.name === 'integer'))
    return fc.integer({ min: Math.max(min, -1e9), max: Math.min(max, 1e9) });
  // Generate at most four decimals. Quantities accept no more, and coordinates accept at least
  // four.
  return fc.integer({ min: min * 10_000 + 1, max: max * 10_000 }).map((value) => value / 10_000);
}

interface LineItem {
  category: string;
  quantity: number;
  unit_price_cents: number;
  total_cents: number;
}

/**
 * Makes a generated line item consistent: its total becomes quantity × price. The quantity is
 * rounded up. A negative price stays negative only for a discount or an adjustment.
 */
function matchTotal(lineItem: LineItem): LineItem {
  const quantity = Math.ceil(lineItem.quantity);
  const price = ['discount', 'adjustment'].includes(lineItem.category.trim())
    ? lineItem.unit_price_cents
    : Math.abs(lineItem.unit_price_cents);
  const total = 'total_cents' in lineItem ? { total_cents: quantity * price } : {};
  return { ...lineItem, quantity, unit_price_cents: price, ...total };
}

/** Swaps `since` and `until` if `since` is later, because the API refuses such a range. */
function sortRange(body: Json): Json {
  const { since, until, ...rest } = body;
  if (typeof since !== 'string' || typeof until !== 'string') return body;
  const isBackwards = Date.parse(since.toUpperCase()) > Date.parse(until.toUpperCase());
  return isBackwards ? { ...rest, since: until, until: since } : body;
}

function generateValues(description: Description, isComplete = false): fc.Arbitrary<unknown> {
  const { type, flags, allow = [] } = description;
  const base = (): fc.Arbitrary<unknown> => {
    if (flags?.only) return fc.constantFrom(...allow);
    if (type === 'string') return strings(description);
    if (type === 'number') return numbers(description);
    if (type === 'boolean') return fc.boolean();
    if (type === 'array') return arrays(description, isComplete);
    if (type === 'object') return objects(description, isComplete);
    throw new Error(`no values for a Joi schema of type ${type}`);
  };
  const extra = isComplete || flags?.only ? [] : allow;
  return extra.length > 0 ? fc.oneof({ weight: 4, arbitrary: base() }, fc.constantFrom(...extra)) : base();
}

function arrays({ items = [], rules = [] }: Description, isComplete: boolean): fc.Arbitrary<unknown[]> {
  const bound = (name: string) => rules.find((rule) => rule.name === name)?.args?.limit;
  const limits = {
    minLength: isComplete ? 1 : (bound('min') ?? 0),
    maxLength: Math.min(bound('max') ?? 5, 5),
  };
  const item = generateValues(items[0] as Description, isComplete);
  return rules.some((rule) => rule.name === 'unique') ? fc.uniqueArray(item, limits) : fc.array(item, limits);
}

/**
 * Generates member names for objects whose schema names no members. Only the custom headers of
 * endpoints are such objects.
 */
const HEADER_NAMES = fc.stringMatching(/^x-[a-z]{1,10}$/);

function objects(description: Description, isComplete = false): fc.Arbitrary<Json> {
  const { keys = {}, metas = [], patterns = [] } = description;
  const anyNamePattern = patterns.find(({ rule }) => rule.flags?.presence !== 'forbidden');
  if (anyNamePattern)
    return fc.dictionary(HEADER_NAMES, generateValues(anyNamePattern.rule, isComplete), { maxKeys: 5 });
  const members = Object.fromEntries(
    Object.entries(keys).map(([name, key]) => [name, generateValues(key, isComplete)]),
  );
  const requiredKeys = Object.keys(keys).filter(
    (name) => isComplete || keys[name]?.flags?.presence === 'required',
  );
  const object = fc.record(members, { requiredKeys }) as fc.Arbitrary<Json>;
  const isAgentKey = metas.some((meta) => meta.className === 'AgentKeyCreate');
  // A key with `read_only` may have only reading scopes, but the schemas of the single members do
  // not say so. Therefore no generated key is read-only.
  if (isAgentKey) return object.map((key) => ({ ...key, read_only: false }));
  if (keys.since && keys.until) return object.map(sortRange);
  const named = (name: string) => metas.some((meta) => meta.className === name);
  const added = object.map((lineItem) => matchTotal(lineItem as unknown as LineItem) as unknown as Json);
  if (named('InvoiceDraftLine')) return added.map(({ total_cents: _total, ...lineItem }) => lineItem);
  return named('LineItemInput') ? added : object;
}

/**
 * Generates bodies that a Joi schema accepts. Lengths, patterns, and optional and nullable members
 * come from the schema's description.
 */
export function generateBodies(schema: Joi.ObjectSchema): fc.Arbitrary<Json> {
  return objects(schema.describe() as Description);
}

/**
 * Like {@link generateBodies}, but every member is present, also in nested objects, and no array is
 * empty.
 */
export function generateCompleteBodies(schema: Joi.ObjectSchema): fc.Arbitrary<Json> {
  return objects(schema.describe() as Description, true);
}

/** Unusual and invalid values that clients may send by mistake or on purpose. */
const HOSTILE: unknown[] = [
  null,
  '',
  ' ',
  '0',
  '12',
  'true',
  '{}',
  '[]',
  '{"lat":1}',
  true,
  false,
  0,
  -0,
  -1,
  1.5,
  1e21,
  1e15,
  1e-7,
  Number.MAX_SAFE_INTEGER,
  2 ** 53,
  [],
  {},
  [null],
  [[]],
  ['read', 'read'],
  { a: 1 },
  'x'.repeat(65),
  'x'.repeat(5001),
  'x\u0000y',
  'line\nbreak',
  '\ud800',
  'Tow',
  '1tow',
  'tow truck',
  'bücher@exämple.com',
  'jörg@example.com',
  'a@localhost',
  'a@b',
  '@',
  '"a b"@example.com',
  'a@[127.0.0.1]',
  'a@b.co.',
  '2026-11-21',
  '2026-11-21T14:30:00',
  '2026-02-30T00:00:00Z',
  '2026-11-21T23:59:60Z',
  '2026-11-21 14:30:00Z',
  '0000-01-01T00:00:00Z',
  '2026-11-21T24:00:00Z',
  '{3f0e7c1a-7b7e-4b8e-9c55-0a1b2c3d4e5f}',
  '3f0e7c1a7b7e4b8e9c550a1b2c3d4e5f',
  'urn:uuid:3f0e7c1a-7b7e-4b8e-9c55-0a1b2c3d4e5f',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '3f0e7c1a-7b7e-0b8e-0c55-0a1b2c3d4e5f',
];

const hostile = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...HOSTILE) },
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown>,
);

/** Lists the paths of a value and of all its members. `[]` is the path of the value itself. */
function findPaths(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [path];
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  return [path, ...entries.flatMap(([key, member]) => findPaths(member, [...path, key]))];
}

function replaceAt(
  value: unknown,
  [head, ...rest]: (string | number)[],
  change: (old: unknown) => unknown,
): unknown {
  if (head === undefined) return change(value);
  const copy = (Array.isArray(value) ? [...value] : { ...(value as Json) }) as Json;
  const changed = replaceAt(copy[head], rest, change);
  if (changed === undefined) delete copy[head];
  else copy[head] = changed;
  return copy;
}

/**
 * Returns all variants of a body in which one member is removed, or replaced by one of the
 * {@link HOSTILE} values.
 */
export function breakEveryMember(body: Json): Json[] {
  const paths = findPaths(body).filter((path) => path.length > 0);
  return paths.flatMap((path) =>
    [undefined, ...HOSTILE].map((value) => replaceAt(body, path, () => value) as Json),
  );
}

/**
 * Generates accepted bodies, and then removes, adds or replaces one member of each. The new value
 * is hostile, but the changed body may still be valid.
 */
export function generateBrokenBodies(schema: Joi.ObjectSchema): fc.Arbitrary<unknown> {
  const names = Object.keys((schema.describe() as Description).keys ?? {});
  const position = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const changeKind = fc.oneof(
    { weight: 6, arbitrary: fc.constant('replace') },
    fc.constantFrom('remove', 'add'),
  );
  return fc
    .tuple(generateBodies(schema), position, changeKind, hostile, fc.constantFrom(...names, 'stranger'))
    .map(([body, at, change, value, name]) => {
      if (change === 'add') return { ...body, [name]: value };
      const paths = findPaths(body).slice(1);
      const path = paths[Math.floor(at * paths.length)];
      return path ? replaceAt(body, path, () => (change === 'remove' ? undefined : value)) : body;
    });
}
