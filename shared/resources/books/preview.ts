import type { AccountingSettings, Choice } from '../../integrations/contract/accounting.js';
import type { BookLimits } from '../../integrations/contract/vendor-limits.js';
import type { Database } from '../../platform/postgres/database.js';
import { WANTED_SQL } from './book-since.js';
import { CUSTOMER_KIND, INVOICE_KIND } from './kinds.js';
import { TAKEN_NUMBERS } from './unbooked-numbers.js';

/** A connection to books, with what its settings can name. */
export interface BookingConnection {
  vendor: string;
  keeps_books: boolean;
  settings: AccountingSettings;
  /** The entries of the vendor; empty until they were read. */
  accounts: readonly Choice[];
  taxes: readonly Choice[];
  /** Our invoices whose number another invoice in the books has, with the number. */
  taken_numbers: readonly { id: string; name: string }[];
}

interface Account {
  tenantId: string;
  connectionId: string;
}

/** Returns undefined if the account has no such connection. */
export async function readBookingConnection(
  db: Database,
  { tenantId, connectionId }: Account,
): Promise<BookingConnection | undefined> {
  const choices = (subject: string) =>
    `coalesce((select h.choices from connection_choices h where h.tenant_id = c.tenant_id and h.connection_id = c.id
       and h.subject = '${subject}'), '[]'::jsonb)`;
  const [row] = await db.read<BookingConnection>(tenantId, {
    name: 'read-booking-connection',
    text: `select c.vendor, c.kind = 'accounting' as keeps_books, c.settings, ${choices('account')} as accounts, ${choices('tax')} as taxes,
             ${choices(TAKEN_NUMBERS)} as taken_numbers
           from connections c where c.tenant_id = $1 and c.id = $2`,
    values: [tenantId, connectionId],
  });
  return row;
}

interface Counts {
  invoices: number;
  booked_invoices: number;
  invoiced_cents: number;
  payments: number;
  received_cents: number;
  new_customers: number;
  categories: { category: string; invoices: number; total_cents: number }[];
  without_account: number;
  with_unknown_account: number;
  with_tax: number;
  with_long_number: number;
  taken_numbers: string[];
  /** The payments that are not refunded completely. */
  to_enter: number;
}

type Conflict = { code: string; invoices: number; payments: number; message: string };

/** Counts what a sync of the books since a time would write, and what would stop it. */
export async function previewBooking(
  db: Database,
  { tenantId, connectionId }: Account,
  {
    connection: { keeps_books, settings, accounts: listedAccounts, taxes, taken_numbers: taken },
    since,
    limits: { maxNumberChars, needsDepositAccount },
  }: { connection: BookingConnection; since: string; limits: BookLimits },
): Promise<object> {
  const { accounts = {}, tax_codes = {}, deposit_account: depositAccount } = settings;
  const isListed = (id: string, listed: readonly Choice[]) =>
    listed.length === 0 || listed.some((one) => one.id === id);
  const mapped = Object.keys(accounts);
  const unknown = mapped.filter((category) => !isListed(accounts[category] as string, listedAccounts));
  const [counts] = await db.read<Counts>(tenantId, {
    name: 'preview-booking',
    text: COUNT_SQL,
    values: [
      tenantId,
      getStart(keeps_books, since),
      connectionId,
      mapped,
      unknown,
      maxNumberChars ?? null,
      taken.map(({ id }) => id),
    ],
  });
  const found = counts as Counts;
  const used = found.categories.map(({ category }) => category);
  const names = (wanted: (category: string) => boolean) => used.filter(wanted).join(', ');
  const taxCode = tax_codes.taxable;
  const isDepositListed = depositAccount === undefined || isListed(depositAccount, listedAccounts);
  const isTaxKnown = (code: string | undefined) => code === undefined || isListed(code, taxes);
  const conflicts: Conflict[] = [
    {
      code: 'no_account',
      invoices: found.without_account,
      payments: 0,
      message: `No income account is chosen for ${names((one) => !mapped.includes(one))}.`,
    },
    {
      code: 'unknown_account',
      invoices: found.with_unknown_account,
      payments: 0,
      message: `The vendor does not list the account of ${names((one) => unknown.includes(one))} any more.`,
    },
    {
      code: 'no_tax_code',
      invoices: taxCode === undefined ? found.with_tax : 0,
      payments: 0,
      message: 'No tax code is chosen for taxed lines.',
    },
    {
      code: 'unknown_tax_code',
      invoices: !isTaxKnown(tax_codes.exempt) ? found.invoices : isTaxKnown(taxCode) ? 0 : found.with_tax,
      payments: 0,
      message: 'The vendor does not list a chosen tax code any more.',
    },
    ...listLastConflicts(found, { maxNumberChars, depositAccount, needsDepositAccount, isDepositListed }),
  ];
  const {
    without_account,
    with_unknown_account,
    with_tax,
    with_long_number,
    taken_numbers,
    to_enter,
    categories,
    ...sums
  } = found;
  return {
    since,
    ...sums,
    categories: categories.map(({ category, ...sum }) => ({
      category,
      account: Object.hasOwn(accounts, category) ? accounts[category] : null,
      ...sum,
    })),
    conflicts: conflicts.filter(({ invoices, payments }) => invoices + payments > 0),
  };
}

/** Lists what would stop payments, and the numbers that the books do not accept. */
function listLastConflicts(
  found: Counts,
  {
    maxNumberChars,
    depositAccount,
    needsDepositAccount,
    isDepositListed,
  }: {
    maxNumberChars: number | undefined;
    depositAccount: string | undefined;
    needsDepositAccount: boolean | undefined;
    isDepositListed: boolean;
  },
): Conflict[] {
  return [
    {
      code: 'number_too_long',
      invoices: found.with_long_number,
      payments: 0,
      message: `The vendor accepts invoice numbers of ${maxNumberChars} characters. Enter longer ones there yourself.`,
    },
    {
      code: 'no_deposit_account',
      invoices: 0,
      payments: needsDepositAccount && depositAccount === undefined ? found.to_enter : 0,
      message: 'No account for payments is chosen. The vendor accepts no payment without one.',
    },
    {
      code: 'unknown_deposit_account',
      invoices: 0,
      payments: isDepositListed ? 0 : found.to_enter,
      message: 'The vendor does not list the account for payments any more.',
    },
    {
      code: 'number_taken',
      invoices: found.taken_numbers.length,
      payments: 0,
      message: `Other invoices in the books have the numbers ${nameSome(found.taken_numbers)}.`,
    },
  ];
}

const MAX_NAMED = 5;

function nameSome(numbers: readonly string[]): string {
  const rest = numbers.length - MAX_NAMED;
  return [...numbers.slice(0, MAX_NAMED), ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
}

/** A connection that keeps no books writes nothing. */
const getStart = (keepsBooks: boolean, since: string) => (keepsBooks ? since : 'infinity');

const linked = (kind: string, id: string) =>
  `exists (select from external_ids x where x.tenant_id = $1 and x.connection_id = $3 and x.kind = '${kind}' and x.local_id = ${id})`;

/**
 * Parameters: account, since, connection, the mapped categories, those with an unknown account, the
 * maximum length of a number, the invoices whose number is taken in the books.
 */
const COUNT_SQL = `with ${WANTED_SQL},
  issued as (
    select i.id, i.customer_id, i.invoice_number, i.total_cents, i.tax_cents > 0 as is_taxed,
      length(i.invoice_number) > $6::int as is_long, ${linked(INVOICE_KIND, 'i.id')} as is_booked
    from wanted w join invoices i on i.tenant_id = $1 and i.id = w.id
    where w.is_invoice and i.status not in ('void', 'cancelled')),
  lines as (
    select l.invoice_id, l.category, sum(l.total_cents) as total_cents
    from issued n join invoice_line_items l on l.tenant_id = $1 and l.invoice_id = n.id
    group by l.invoice_id, l.category),
  by_category as (
    select l.category, count(*) as invoices, sum(l.total_cents) as total_cents from lines l group by l.category),
  refs as (select distinct n.customer_id as id from issued n where n.customer_id is not null)
  select count(*)::int as invoices, (count(*) filter (where n.is_booked))::int as booked_invoices,
    coalesce(sum(n.total_cents), 0)::float8 as invoiced_cents,
    (count(*) filter (where n.is_taxed))::int as with_tax,
    (count(*) filter (where n.is_long))::int as with_long_number,
    coalesce(array_agg(n.invoice_number order by n.invoice_number) filter (where n.id = any($7::uuid[]) and not n.is_booked), '{}') as taken_numbers,
    (select count(*) from paid)::int as payments,
    (select coalesce(sum(p.amount_cents - p.refunded_cents), 0) from payments p
      where p.tenant_id = $1 and p.id in (select id from paid))::float8 as received_cents,
    (select count(*) from payments p
      where p.tenant_id = $1 and p.id in (select id from paid) and p.amount_cents > p.refunded_cents)::int as to_enter,
    (select count(*) from refs where not ${linked(CUSTOMER_KIND, 'refs.id')})::int as new_customers,
    (select count(distinct l.invoice_id) from lines l where l.category <> all($4::text[]))::int as without_account,
    (select count(distinct l.invoice_id) from lines l where l.category = any($5::text[]))::int as with_unknown_account,
    coalesce((select json_agg(json_build_object('category', c.category, 'invoices', c.invoices, 'total_cents', c.total_cents)
      order by c.total_cents desc, c.category) from by_category c), '[]'::json) as categories
  from issued n`;
