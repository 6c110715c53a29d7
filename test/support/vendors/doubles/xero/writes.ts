import { idOf, toCents, toMsDate, type XeroOrganisation } from './organisation.js';
import { Refusal } from './refusal.js';
import type { XeroRecord } from './where.js';

interface Line {
  Description?: string;
  Quantity?: number;
  UnitAmount?: number;
  LineAmount?: number;
  AccountCode?: string;
  TaxType?: string;
  TaxAmount?: number;
}

const toAmount = (cents: number) => Number((cents / 100).toFixed(2));
const isDead = ({ Status }: XeroRecord) => Status === 'VOIDED' || Status === 'DELETED';
const toDate = (day: unknown) =>
  String(day).startsWith('/') ? String(day) : toMsDate(Date.parse(`${String(day)}T00:00:00Z`));

export function writeContact(
  organisation: XeroOrganisation,
  members: XeroRecord,
  isUpdate: boolean,
): XeroRecord {
  const current = isUpdate ? organisation.get('Contacts', members.ContactID) : undefined;
  const name = String(members.Name ?? current?.Name ?? '');
  if (name === '' || name.length > 255)
    throw new Refusal('A Contact must have a name of 255 characters at most.');
  const isTaken = organisation
    .list('Contacts')
    .some(
      (one) => one.ContactID !== current?.ContactID && String(one.Name).toLowerCase() === name.toLowerCase(),
    );
  if (isTaken)
    throw new Refusal(
      `The contact name ${name} is already assigned to another contact. The contact name must be unique across all active contacts.`,
    );
  return organisation.put('Contacts', { ContactStatus: 'ACTIVE', ...members }, !isUpdate);
}

export function writeInvoice(
  organisation: XeroOrganisation,
  members: XeroRecord,
  isUpdate: boolean,
): XeroRecord {
  const current = isUpdate ? organisation.get('Invoices', members.InvoiceID) : undefined;
  const { Status } = members;
  if (current && (Status === 'VOIDED' || Status === 'DELETED'))
    return annulInvoice(organisation, current, Status);
  if (current && (isDead(current) || current.Status === 'PAID'))
    throw new Refusal('Invoice not of valid status for modification');
  const next: XeroRecord = { Status: 'DRAFT', ...current, ...members };
  organisation.get('Contacts', Object(next.Contact).ContactID);
  checkNumber(organisation, next, current);
  const date = toDate(next.Date);
  assertUnlocked(organisation, date);
  if (next.LineAmountTypes !== 'Exclusive') throw new Refusal('LineAmountTypes must be said.');
  if (next.Status === 'AUTHORISED' && next.DueDate === undefined) throw new Refusal('Due Date is required.');
  const LineItems = (next.LineItems as Line[]).map((line) => checkLine(organisation, line));
  if (LineItems.length === 0) throw new Refusal('One or more line items must be specified');
  const sub = LineItems.reduce((sum, { LineAmount }) => sum + toCents(LineAmount), 0);
  const tax = LineItems.reduce((sum, { TaxAmount }) => sum + toCents(TaxAmount), 0);
  if (sub + tax < toCents(current?.AmountPaid))
    throw new Refusal('The invoice total is less than its payments.');
  const amounts = { SubTotal: toAmount(sub), TotalTax: toAmount(tax), Total: toAmount(sub + tax) };
  const stored = organisation.put(
    'Invoices',
    { ...next, Date: date, DueDate: toDate(next.DueDate), LineItems, ...amounts },
    !isUpdate,
  );
  return refreshBalance(organisation, idOf('Invoices', stored));
}

function checkNumber(
  organisation: XeroOrganisation,
  next: XeroRecord,
  current: XeroRecord | undefined,
): void {
  const isTaken = organisation
    .listNumbered(next.InvoiceNumber)
    .some((one) => one.InvoiceID !== current?.InvoiceID && !isDead(one));
  if (isTaken) throw new Refusal('Invoice # must be unique.');
}

function assertUnlocked({ lockedUntil }: XeroOrganisation, date: string): void {
  if (lockedUntil !== '' && date <= toDate(lockedUntil))
    throw new Refusal('The document date cannot be before the period lock date.');
}

function checkLine(organisation: XeroOrganisation, line: Line): Line {
  const { Description = '', Quantity = 0, UnitAmount = 0, AccountCode, TaxType } = line;
  if (Description === '') throw new Refusal('Description is required.');
  if (!organisation.list('Accounts').some(({ Code, Class }) => Code === AccountCode && Class === 'REVENUE'))
    throw new Refusal(`Account code '${AccountCode}' is not a valid code for this document.`);
  const rate = organisation.find('TaxRates', TaxType);
  if (!rate) throw new Refusal(`The TaxType code '${TaxType}' does not exist or cannot be used.`);
  const amount = Math.round(Quantity * UnitAmount * 100);
  if (line.LineAmount !== undefined && toCents(line.LineAmount) !== amount)
    throw new Refusal(
      `The line total ${line.LineAmount} does not match the expected line total ${toAmount(amount)}`,
    );
  const computed = toAmount(Math.round((amount * Number(rate.EffectiveRate)) / 100));
  const TaxAmount = organisation.computesTax ? computed : (line.TaxAmount ?? computed);
  if (Number(rate.EffectiveRate) === 0 && TaxAmount !== 0)
    throw new Refusal(`The tax amount of a line with the TaxType '${TaxType}' must be 0.`);
  return { ...line, LineAmount: toAmount(amount), TaxAmount };
}

function annulInvoice(organisation: XeroOrganisation, current: XeroRecord, Status: string): XeroRecord {
  const isApproved = current.Status !== 'DRAFT' && current.Status !== 'SUBMITTED';
  if (isDead(current) || (Status === 'VOIDED') !== isApproved || toCents(current.AmountPaid) > 0)
    throw new Refusal('Invoice not of valid status for modification');
  assertUnlocked(organisation, String(current.Date));
  return organisation.put('Invoices', { InvoiceID: current.InvoiceID, Status, AmountDue: 0 });
}

export function createPayment(organisation: XeroOrganisation, members: XeroRecord): XeroRecord {
  const invoice = organisation.get('Invoices', Object(members.Invoice).InvoiceID);
  const { AccountID, Code } = Object(members.Account) as XeroRecord;
  const account = organisation
    .list('Accounts')
    .find((one) => one.AccountID === AccountID || (Code && one.Code === Code));
  if (!account || (account.Type !== 'BANK' && account.EnablePaymentsToAccount !== true))
    throw new Refusal('Account could not be found, or payments to it are not enabled.');
  if (invoice.Status !== 'AUTHORISED')
    throw new Refusal('Payments can only be made against Authorised documents');
  const cents = toCents(members.Amount);
  if (cents <= 0) throw new Refusal('Payment amount must be greater than zero.');
  if (cents > toCents(invoice.AmountDue))
    throw new Refusal('Payment amount exceeds the amount outstanding on this document');
  const date = toDate(members.Date);
  assertUnlocked(organisation, date);
  const { InvoiceID, InvoiceNumber } = invoice;
  const payment = organisation.put('Payments', {
    ...members,
    Date: date,
    Account: { AccountID: account.AccountID, Code: account.Code },
    Invoice: { Type: 'ACCREC', InvoiceID, InvoiceNumber },
    PaymentType: 'ACCRECPAYMENT',
    Status: 'AUTHORISED',
  });
  refreshBalance(organisation, String(InvoiceID));
  return payment;
}

export function deletePayment(organisation: XeroOrganisation, id: string): XeroRecord {
  const payment = organisation.get('Payments', id);
  if (payment.Status === 'DELETED') throw new Refusal('Payment is already deleted.');
  assertUnlocked(organisation, String(payment.Date));
  const deleted = organisation.put('Payments', { PaymentID: id, Status: 'DELETED' });
  refreshBalance(organisation, String(Object(payment.Invoice).InvoiceID));
  return deleted;
}

/** Computes an invoice's balance and status from its payments, and stores them. */
function refreshBalance(organisation: XeroOrganisation, InvoiceID: string): XeroRecord {
  const invoice = organisation.get('Invoices', InvoiceID);
  const payments = organisation
    .list('Payments')
    .filter(({ Invoice, Status }) => Object(Invoice).InvoiceID === InvoiceID && Status !== 'DELETED');
  const paid = payments.reduce((sum, { Amount }) => sum + toCents(Amount), 0);
  const due = toCents(invoice.Total) - paid;
  const isApproved = invoice.Status === 'AUTHORISED' || invoice.Status === 'PAID';
  const Status = isApproved ? (due === 0 ? 'PAID' : 'AUTHORISED') : invoice.Status;
  const AmountDue = toAmount(due);
  const AmountPaid = toAmount(paid);
  if (AmountDue === invoice.AmountDue && AmountPaid === invoice.AmountPaid && Status === invoice.Status)
    return invoice;
  return organisation.put('Invoices', { InvoiceID, AmountDue, AmountPaid, Status });
}
