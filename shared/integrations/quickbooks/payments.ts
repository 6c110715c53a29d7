import type {
  AccountingSettings,
  Booked,
  BookedPayments,
  BookPayment,
  BookPaymentState,
  KnownPayment,
} from '../contract/accounting.js';
import { deriveKey } from '../contract/books/derive-key.js';
import { toAmount, toCents } from '../contract/books/money.js';
import { buildOwnNote, readOwnNote } from '../contract/books/own-note.js';
import { changedThere, missingThere } from '../contract/books/refusals.js';
import type { Change, OpenConnection } from '../contract/connection.js';
import { fingerprint } from '../contract/fingerprint.js';
import { type BooksRecord, type Entity, pullChanges, readNamed } from './api/changes.js';
import { queryBooks, quote, readRecord, retryStale, writeRecord } from './api/client.js';
import { buildWebAddress } from './api/web-address.js';
import type { BooksInvoice } from './invoice-mapper.js';

interface PaymentLine {
  Amount?: number;
  LinkedTxn?: { TxnId?: string; TxnType?: string }[];
}

interface BooksPayment extends BooksRecord {
  CustomerRef?: { value: string };
  TotalAmt?: number;
  TxnDate?: string;
  PaymentRefNum?: string;
  PrivateNote?: string;
  DepositToAccountRef?: { value: string };
  Line?: PaymentLine[];
}

const MAX_REFERENCE = 21;

export const payments: BookedPayments = {
  async put(connection, payment, { operationKey: key }, known) {
    const wanted = toPayment(payment, connection.settings as AccountingSettings);
    const create = async (requestId: string) =>
      toBooked(
        connection,
        await writeRecord<BooksPayment>(connection, 'Payment', { body: wanted, key: requestId }),
      );
    const before = known ?? (await findOwn(connection, payment));
    if (!before) return create(key);
    const updated = await retryStale(() => update(connection, { wanted, key, known: before }));
    if (updated) return updated;
    // It is void, and is entered again. An earlier attempt may have done so already.
    const again = await findOwn(connection, payment);
    if (again?.booked.state.status !== 'open') return create(`${key}-again`);
    const open = { ...again, replacedVersion: null };
    return (await retryStale(() => update(connection, { wanted, key, known: open }))) as typeof again.booked;
  },
  async find(connection, payment) {
    const found = await findOwn(connection, payment);
    return found?.booked;
  },
  annul: (connection, known, { operationKey: key }) =>
    retryStale(async () => {
      const current = await readRecord<BooksPayment>(connection, 'Payment', known.externalId);
      if (!current) return fromChange(connection, toDeletedPayment(known.externalId));
      const booked = toBooked(connection, current);
      if (booked.state.status === 'void') return booked;
      const body = { Id: current.Id, SyncToken: current.SyncToken, sparse: true };
      const voided = await writeRecord<BooksPayment>(connection, 'Payment', {
        body,
        key: deriveKey(key, body),
        operation: 'void',
      });
      return toBooked(connection, voided);
    }),
  readNamed: (connection, hints) => readNamed(connection, hints, ENTITY),
  pull: (connection, from) => pullChanges(connection, from, ENTITY),
};

const ENTITY: Entity<BooksPayment, BookPaymentState> = {
  name: 'Payment',
  toChange,
  toDeletion: toDeletedPayment,
};

/**
 * Finds a payment that an earlier attempt, or an earlier connection, has written. One that was
 * entered again counts, and not the void one.
 */
async function findOwn(
  connection: OpenConnection,
  { paymentId, customerExternalId, invoiceExternalId, day }: Parameters<BookedPayments['find']>[1],
): Promise<(KnownPayment & { booked: Booked<BookPaymentState> }) | undefined> {
  const ofDay = await queryBooks<BooksPayment>(
    connection,
    'Payment',
    `where CustomerRef = ${quote(customerExternalId)} and TxnDate = ${quote(day)} maxresults 500`,
  );
  const pickOwn = (found: readonly BooksPayment[]) =>
    found
      .filter(({ PrivateNote }) => readOwnNote('payment', PrivateNote) === paymentId)
      .map((record) => toBooked(connection, record));
  let own = pickOwn(ofDay);
  // A person may have moved the payment to another day or customer, and a day may have many.
  if (!own.some(({ state }) => state.status === 'open'))
    own = [...own, ...pickOwn(await listOfInvoice(connection, invoiceExternalId))];
  const booked = own.find(({ state }) => state.status === 'open') ?? own[0];
  return booked && { externalId: booked.written.externalId, version: null, replacedVersion: null, booked };
}

async function listOfInvoice(connection: OpenConnection, invoiceId: string): Promise<BooksPayment[]> {
  const invoice = await readRecord<BooksInvoice>(connection, 'Invoice', invoiceId);
  const ids = (invoice?.LinkedTxn ?? []).flatMap(({ TxnId, TxnType }) =>
    TxnType === 'Payment' && TxnId ? [TxnId] : [],
  );
  if (ids.length === 0) return [];
  const list = ids.map(quote).join(', ');
  return queryBooks<BooksPayment>(connection, 'Payment', `where Id in (${list}) maxresults 500`);
}

function toPayment(
  payment: BookPayment,
  { deposit_account }: AccountingSettings,
): Omit<BooksPayment, 'Id' | 'SyncToken'> {
  const { paymentId, customerExternalId, invoiceExternalId, amountCents, appliedCents, day, reference } =
    payment;
  return {
    CustomerRef: { value: customerExternalId },
    TotalAmt: toAmount(amountCents),
    TxnDate: day,
    ...(reference ? { PaymentRefNum: reference.slice(0, MAX_REFERENCE) } : {}),
    PrivateNote: buildOwnNote('payment', paymentId),
    ...(deposit_account === undefined ? {} : { DepositToAccountRef: { value: deposit_account } }),
    Line:
      appliedCents > 0
        ? [{ Amount: toAmount(appliedCents), LinkedTxn: [{ TxnId: invoiceExternalId, TxnType: 'Invoice' }] }]
        : [],
  };
}

/**
 * Writes our amounts. Returns nothing if the payment is void or deleted there and may be entered
 * again.
 * @throws {VendorError} if it may not
 */
async function update(
  connection: OpenConnection,
  {
    wanted,
    key,
    known,
  }: { wanted: Omit<BooksPayment, 'Id' | 'SyncToken'>; key: string; known: KnownPayment },
): Promise<Booked<BookPaymentState> | undefined> {
  const current = await readRecord<BooksPayment>(connection, 'Payment', known.externalId);
  if (!current) {
    if (known.replacedVersion === toDeletedPayment(known.externalId).version) return undefined;
    throw missingThere('payment');
  }
  const booked = toBooked(connection, current);
  const { amountCents, allocations } = toState({ ...current, ...wanted });
  const isSame =
    booked.state.amountCents === amountCents &&
    JSON.stringify(booked.state.allocations) === JSON.stringify(allocations);
  if (isSame) return booked;
  const isVoid = booked.state.status !== 'open';
  if (isVoid && known.replacedVersion === booked.written.version) return undefined;
  if (isVoid || (known.version !== null && booked.written.version !== known.version))
    throw changedThere('payment');
  const { CustomerRef, TotalAmt, Line } = wanted;
  const body = { Id: current.Id, SyncToken: current.SyncToken, sparse: true, CustomerRef, TotalAmt, Line };
  return toBooked(
    connection,
    await writeRecord<BooksPayment>(connection, 'Payment', { body, key: deriveKey(key, body) }),
  );
}

function toState({
  TotalAmt,
  TxnDate,
  PaymentRefNum,
  PrivateNote,
  Line = [],
}: BooksPayment): BookPaymentState {
  const amountCents = toCents(TotalAmt);
  const isVoid = amountCents === 0 && /^voided/i.test(PrivateNote ?? '');
  const sums = new Map<string, number>();
  for (const { Amount, LinkedTxn = [] } of Line)
    for (const { TxnId, TxnType } of LinkedTxn)
      if (TxnType === 'Invoice' && TxnId) sums.set(TxnId, (sums.get(TxnId) ?? 0) + toCents(Amount));
  return {
    paymentId: readOwnNote('payment', PrivateNote),
    amountCents,
    allocations: [...sums].map(([invoiceExternalId, cents]) => ({ invoiceExternalId, amountCents: cents })),
    status: isVoid ? 'void' : 'open',
    day: TxnDate ?? null,
    reference: PaymentRefNum ?? null,
  };
}

function toChange(record: BooksPayment): Change<BookPaymentState> {
  const fields = toState(record);
  return { kind: 'booked_payment', externalId: record.Id, version: fingerprint(fields), fields };
}

function toDeletedPayment(id: string): Change<BookPaymentState> {
  const fields: BookPaymentState = {
    paymentId: null,
    amountCents: 0,
    allocations: [],
    status: 'deleted',
    day: null,
    reference: null,
  };
  return { kind: 'booked_payment', externalId: id, version: 'deleted', fields };
}

function toBooked(connection: OpenConnection, record: BooksPayment): Booked<BookPaymentState> {
  return fromChange(connection, toChange(record));
}

function fromChange(
  connection: OpenConnection,
  { externalId, version, fields: state }: Change<BookPaymentState>,
): Booked<BookPaymentState> {
  return { written: { externalId, version, url: buildWebAddress(connection, 'Payment', externalId) }, state };
}
