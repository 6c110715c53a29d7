import type { BooksRecord } from './books-record.js';
import { type BooksCompany, type EntityName, toCents } from './company.js';
import { Refusal } from './refusal.js';

type Members = Record<string, unknown>;

interface Line {
  Amount?: number;
  DetailType?: string;
  LinkedTxn?: { TxnId: string; TxnType: string }[];
  SalesItemLineDetail?: { ItemRef?: { value: string }; Qty?: number; UnitPrice?: number };
}

const toAmount = (cents: number) => Number((cents / 100).toFixed(2));
const idOf = (reference: unknown) => String(Object(reference).value ?? '');
const linesOf = ({ Line = [] }: Members) => Line as Line[];

/** Creates, updates or voids a record, as QuickBooks does. */
export function writeRecord(
  company: BooksCompany,
  entity: EntityName,
  { body, operation }: { body: Members; operation: string | undefined },
): BooksRecord {
  const current = body.Id === undefined ? undefined : company.get(entity, body.Id);
  if (current && current.SyncToken !== body.SyncToken)
    throw new Refusal(
      '5010',
      'Stale Object Error: You and another user were working on this at the same time.',
    );
  const { Id: _id, SyncToken: _token, sparse, ...members } = body;
  if (operation === 'void') return voidRecord(company, entity, current as BooksRecord);
  // Without `sparse`, QuickBooks clears the members that an update omits.
  if (current && sparse !== true) throw new Error(`an update of a ${entity} would clear members`);
  const next = { ...current, ...members };
  if (entity === 'Customer') checkName(company, next, current);
  if (entity === 'Item') company.get('Account', idOf(next.IncomeAccountRef));
  if (entity === 'Invoice') return storeInvoice(company, next, current);
  if (entity === 'Payment') return storePayment(company, next, current);
  return company.put(entity, next, current?.Id);
}

function checkName(company: BooksCompany, { DisplayName }: Members, current: BooksRecord | undefined): void {
  const name = String(DisplayName).toLowerCase();
  if (/[:\t\n]/.test(name) || name.length > 100) throw new Refusal('2040', 'Invalid String');
  const isTaken = company
    .list('Customer')
    .some((one) => one.Id !== current?.Id && String(one.DisplayName).toLowerCase() === name);
  if (isTaken) throw new Refusal('6240', 'Duplicate Name Exists Error: The name supplied already exists.');
}

function storeInvoice(company: BooksCompany, next: Members, current: BooksRecord | undefined): BooksRecord {
  company.get('Customer', idOf(next.CustomerRef));
  if (String(next.TxnDate) <= company.closedUntil)
    throw new Refusal('6210', 'Account Period Closed: the books are closed until the given date.');
  const number = String(next.DocNumber ?? '');
  if (number.length > 21)
    throw new Refusal('2050', 'String length is either shorter or longer than supported.');
  if (company.listNumbered(number).some((one) => one.Id !== current?.Id && one.DocNumber === number))
    throw new Refusal('6140', `Duplicate Document Number Error: ${number}`);
  let total = toCents(Object(next.TxnTaxDetail).TotalTax);
  if (total > 0) total += company.taxOffCents;
  for (const { Amount, SalesItemLineDetail = {} } of linesOf(next)) {
    checkItem(company, idOf(SalesItemLineDetail.ItemRef));
    const { Qty, UnitPrice } = SalesItemLineDetail;
    if (Qty !== undefined && Math.abs(Qty * (UnitPrice ?? 0) - (Amount ?? 0)) > 0.001)
      throw new Refusal('6070', 'Amount calculation incorrect in the request.');
    total += toCents(Amount);
  }
  const stored = company.put(
    'Invoice',
    { ...next, TotalAmt: toAmount(total), Balance: toAmount(total) },
    current?.Id,
  );
  return refreshBalance(company, stored.Id);
}

function checkItem(company: BooksCompany, id: string): void {
  const item = company.find('Item', id);
  if (!item) throw new Refusal('2500', `Invalid Reference Id: Items element id ${id} not found`);
  if (item.Active === false)
    throw new Refusal('610', "Object Not Found: Something you're trying to use has been made inactive.");
}

function storePayment(company: BooksCompany, next: Members, current: BooksRecord | undefined): BooksRecord {
  company.get('Customer', idOf(next.CustomerRef));
  const before = current ? linkedInvoices(current) : [];
  let applied = 0;
  for (const { Amount, LinkedTxn = [] } of linesOf(next)) {
    applied += toCents(Amount);
    const invoice = company.get('Invoice', LinkedTxn[0]?.TxnId);
    if (idOf(invoice.CustomerRef) !== idOf(next.CustomerRef))
      throw new Refusal(
        '6000',
        'A business validation error has occurred: the invoice is of another customer.',
      );
    const own = current ? sumFor(current, invoice.Id) : 0;
    if (toCents(Amount) > toCents(invoice.Balance) + own)
      throw new Refusal('6000', 'A business validation error has occurred: the invoice owes less.');
  }
  if (applied > toCents(next.TotalAmt))
    throw new Refusal('6000', 'A business validation error has occurred: the lines exceed the total.');
  const UnappliedAmt = toAmount(toCents(next.TotalAmt) - applied);
  const stored = company.put('Payment', { ...next, UnappliedAmt }, current?.Id);
  for (const id of new Set([...before, ...linkedInvoices(stored)])) refreshBalance(company, id);
  return stored;
}

function linkedInvoices(payment: Members): string[] {
  return linesOf(payment).flatMap(({ LinkedTxn = [] }) => LinkedTxn.map(({ TxnId }) => TxnId));
}

function sumFor(payment: Members, invoiceId: string): number {
  return linesOf(payment)
    .filter(({ LinkedTxn = [] }) => LinkedTxn.some(({ TxnId }) => TxnId === invoiceId))
    .reduce((sum, { Amount }) => sum + toCents(Amount), 0);
}

/**
 * Computes an invoice's balance from its payments. If the balance has changed, stores the invoice.
 */
function refreshBalance(company: BooksCompany, id: string): BooksRecord {
  const invoice = company.get('Invoice', id);
  const payments = company.list('Payment').filter((payment) => linkedInvoices(payment).includes(id));
  const paid = payments.reduce((sum, payment) => sum + sumFor(payment, id), 0);
  const Balance = toAmount(toCents(invoice.TotalAmt) - paid);
  const LinkedTxn = payments.map(({ Id: TxnId }) => ({ TxnId, TxnType: 'Payment' }));
  return Balance === invoice.Balance ? invoice : company.put('Invoice', { Balance, LinkedTxn }, id);
}

export function voidRecord(company: BooksCompany, entity: EntityName, record: BooksRecord): BooksRecord {
  const PrivateNote = `Voided - ${String(record.PrivateNote ?? '')}`;
  const linked = entity === 'Payment' ? linkedInvoices(record) : [];
  const voided =
    entity === 'Payment'
      ? company.put('Payment', { PrivateNote, TotalAmt: 0, UnappliedAmt: 0, Line: [] }, record.Id)
      : company.put(
          entity,
          {
            PrivateNote,
            TotalAmt: 0,
            Balance: 0,
            TxnTaxDetail: { TotalTax: 0 },
            Line: linesOf(record).map((line) => ({ ...line, Amount: 0 })),
          },
          record.Id,
        );
  for (const id of linked) refreshBalance(company, id);
  return voided;
}
