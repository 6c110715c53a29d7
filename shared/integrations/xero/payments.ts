import { isUuid } from '../../platform/ids.js';
import type {
  AccountingSettings,
  Booked,
  BookedPayments,
  BookPayment,
  BookPaymentState,
  KnownPayment,
} from '../contract/accounting.js';
import { toAmount, toCents } from '../contract/books/money.js';
import { changedThere, missingThere } from '../contract/books/refusals.js';
import type { OpenConnection } from '../contract/connection.js';
import type { WriteAttempt } from '../contract/messaging.js';
import { VendorError } from '../contract/vendor-error.js';
import { callXero, readOne, writeOne } from './api/client.js';
import { INVOICE_HINT } from './api/inbound.js';
import { type Entity, pullChanges } from './api/pages.js';
import type { XeroInvoice } from './invoice-mapper.js';
import { buildReference, toChange, type XeroPayment } from './payment-mapper.js';
import { listBy, listOwn } from './payment-reads.js';

export const payments: BookedPayments = {
  async put(connection, payment, attempt, known) {
    const account = readAccount(connection);
    const own = await listOwn(connection, payment, known);
    const open = own.find(isOpen);
    if (payment.appliedCents <= 0) return withdraw(connection, open, attempt);
    if (open) {
      if (toCents(open.Amount) === payment.appliedCents) return toBooked(open);
      await assertFits(connection, payment, open);
      return replace(connection, { payment, account, open, attempt, before: own.length });
    }
    const [dead] = own;
    if (dead && !mayEnterAgain(dead, attempt, known)) throw changedThere('payment');
    const entry = { payment, account, attempt, before: own.length };
    // If an earlier attempt has deleted the payment, report what is there, as `replace` does.
    return create(connection, entry).catch((error: unknown) => {
      if (dead && attempt.mayHaveArrived && isRefusal(error)) return toBooked(dead);
      throw error;
    });
  },
  async find(connection, payment) {
    const own = await listOwn(connection, payment);
    const found = own.find(isOpen) ?? own[0];
    return found && toBooked(found);
  },
  async annul(connection, known, attempt) {
    const current = await readOne<XeroPayment>(connection, 'Payments', known.externalId);
    if (!current) throw missingThere('payment');
    return isOpen(current) ? remove(connection, current, attempt) : toBooked(current);
  },
  async readNamed(connection, hints) {
    const ofInvoices = hints.flatMap((hint) =>
      hint.startsWith(INVOICE_HINT) ? hint.slice(INVOICE_HINT.length) : [],
    );
    const found = await listBy(connection, 'Invoice.InvoiceID', ofInvoices);
    const known = new Set(found.map(({ PaymentID }) => PaymentID));
    const others = hints.filter((hint) => !known.has(hint));
    return [...found, ...(await listBy(connection, 'PaymentID', others))].map(toChange);
  },
  pull: (connection, from) => pullChanges(connection, from, ENTITY),
};

const isOpen = ({ Status }: XeroPayment) => Status !== 'DELETED';

const ENTITY: Entity<XeroPayment, BookPaymentState> = {
  list: 'Payments',
  query: { where: 'PaymentType=="ACCRECPAYMENT"' },
  toChange,
};

/** @throws {VendorError} if the settings name no account, which every payment in Xero needs */
function readAccount({ settings }: OpenConnection): object {
  const { deposit_account: id } = settings as AccountingSettings;
  if (id === undefined)
    throw new VendorError(
      'The settings of the connection name no account that payments go to. Choose one, then resolve this with retry.',
      { kind: 'refused', code: 'no_deposit_account' },
    );
  return isUuid(id) ? { AccountID: id } : { Code: id };
}

/**
 * True if a deleted payment may be entered again: a person has decided so, or this operation has
 * deleted it to enter it with another amount.
 */
function mayEnterAgain(
  dead: XeroPayment,
  { mayHaveArrived }: WriteAttempt,
  known: KnownPayment | undefined,
): boolean {
  if (!known || dead.PaymentID !== known.externalId) return false;
  return mayHaveArrived || known.replacedVersion === toChange(dead).version;
}

interface Entry {
  payment: BookPayment;
  account: object;
  attempt: WriteAttempt;
  /** The number of records of this payment before. Each of them needs a key of its own. */
  before: number;
}

async function create(
  connection: OpenConnection,
  { payment, account, attempt, before }: Entry,
): Promise<Booked<BookPaymentState>> {
  const record = {
    Invoice: { InvoiceID: payment.invoiceExternalId },
    Account: account,
    Date: payment.day,
    Amount: toAmount(payment.appliedCents),
    Reference: buildReference(payment),
  };
  const key = `${attempt.operationKey}-${before}`;
  return toBooked(await writeOne<XeroPayment>(connection, 'Payments', { method: 'PUT', record, key }));
}

/** @throws {VendorError} if Xero would refuse the new amount after the payment has been deleted */
async function assertFits(
  connection: OpenConnection,
  { invoiceExternalId, appliedCents }: BookPayment,
  { Amount }: XeroPayment,
): Promise<void> {
  const invoice = await readOne<XeroInvoice>(connection, 'Invoices', invoiceExternalId);
  if (!invoice) throw missingThere('invoice');
  if (appliedCents <= toCents(invoice.AmountDue) + toCents(Amount)) return;
  throw new VendorError(
    'The invoice owes less in Xero than this payment. Correct it there, then resolve this with retry.',
    {
      kind: 'refused',
      code: 'owes_less',
    },
  );
}

function isRefusal(error: unknown): boolean {
  return error instanceof VendorError && error.kind === 'refused';
}

/** Deletes a payment and enters it with another amount, because Xero changes no payment. */
async function replace(
  connection: OpenConnection,
  { open, ...entry }: Entry & { open: XeroPayment },
): Promise<Booked<BookPaymentState>> {
  const removed = await remove(connection, open, entry.attempt);
  try {
    return await create(connection, entry);
  } catch (error) {
    if (!(error instanceof VendorError)) throw error;
    // Return what is there now. It differs from ours, so an issue opens. Its retry enters it again.
    if (isRefusal(error)) return removed;
    // The payment is deleted and not entered yet. The next attempt must know that we deleted it.
    const { message, code, retryAfterMs = 0 } = error;
    throw new VendorError(message, { kind: 'unknown_outcome', code, retryAfterMs, cause: error });
  }
}

/**
 * Removes a payment of which no part counts for its invoice.
 * @throws {VendorError} if there is none, because Xero holds no payment without an invoice
 */
async function withdraw(
  connection: OpenConnection,
  open: XeroPayment | undefined,
  attempt: WriteAttempt,
): Promise<Booked<BookPaymentState>> {
  if (open) return remove(connection, open, attempt);
  throw new VendorError(
    'No part of this payment counts for its invoice. Xero holds no payment without an invoice, so enter it there yourself.',
    { kind: 'refused', code: 'not_applied' },
  );
}

async function remove(
  connection: OpenConnection,
  { PaymentID }: XeroPayment,
  { operationKey }: WriteAttempt,
): Promise<Booked<BookPaymentState>> {
  const { Payments = [] } = await callXero<{ Payments?: XeroPayment[] }>(connection, {
    method: 'POST',
    path: `/Payments/${encodeURIComponent(PaymentID)}`,
    body: { Status: 'DELETED' },
    key: `${operationKey}-d-${PaymentID.slice(0, 8)}`,
  });
  const [removed] = Payments;
  if (removed?.Status === 'DELETED') return toBooked(removed);
  throw new VendorError('Xero answered without the deleted payment.', {
    kind: 'unknown_outcome',
    code: 'no_record',
  });
}

function toBooked(record: XeroPayment): Booked<BookPaymentState> {
  const { externalId, version, fields: state } = toChange(record);
  return { written: { externalId, version }, state };
}
