import { expect } from 'chai';
import type { Json } from '../../client.js';
import { eventually } from '../../poll.js';
import { type BookingAccount, useBookingStack } from '../booking.js';
import type { Fault } from '../contracts/fault.js';
import { requireContracts } from '../contracts/load-contract.js';
import { useXeroStack, type XeroAccount } from '../xero-booking.js';
import { type BookEdits, QuickBooksEdits, XeroEdits } from './edits.js';

export const THIS_MONTH = new Date().toISOString().slice(0, 7);

interface Months {
  from: string;
  to: string;
}

/** An account that compares months with its books at a double. */
export interface Comparing<Edits extends BookEdits = BookEdits> {
  account: BookingAccount | XeroAccount;
  edits: Edits;
  /** Starts a comparison, by default of this month. */
  start(months?: Months): Promise<void>;
  read(): Promise<Json>;
  /** Compares months, by default this one. Returns the report once it has the status. */
  compare(months?: Months, status?: string): Promise<Json>;
  /** Waits for a status of the comparison of the account's connection. */
  waitForStatus(status: string): Promise<Json>;
  waitFor(title: string, isReached: (report: Json) => boolean): Promise<Json>;
  listDifferences(limit?: number): Promise<Json[]>;
  /** Maps the number of each invoice that differs to the code of the difference. */
  listCodes(): Promise<Record<string, string>>;
  /**
   * Runs a callback when the double gets the nth call from now on that lists or reads invoices. The
   * callback may return a fault.
   */
  atListCall(nth: number, act: () => Fault | undefined): void;
  /** Changes the stored comparison. */
  patchStored(set: string): Promise<void>;
}

function compareBooks<Edits extends BookEdits>(
  account: BookingAccount | XeroAccount,
  edits: Edits,
): Comparing<Edits> {
  // The account may connect anew.
  const path = () => `/connections/${account.connectionId}/reconciliation`;
  const { client, double, stack, tenant } = account;
  const read = async (): Promise<Json> => (await client.get(path())).body;
  const waitFor = (title: string, isReached: (report: Json) => boolean): Promise<Json> =>
    eventually(title, async () => {
      const report = await read();
      return isReached(report) && report;
    });
  const waitForStatus = (wanted: string) =>
    waitFor(`the comparison is ${wanted}`, ({ status }) => status === wanted);
  const start = async (months: Months = { from: THIS_MONTH, to: THIS_MONTH }) => {
    const started = await client.post(path(), months);
    expect(started.status, JSON.stringify(started.body)).to.equal(200);
    await account.wake();
  };
  const listDifferences = async (limit = 200): Promise<Json[]> =>
    (await client.get(`${path()}/differences?limit=${limit}`)).body.data.items;
  return {
    account,
    edits,
    start,
    read,
    waitForStatus,
    waitFor,
    listDifferences,
    async compare(months, status = 'complete') {
      await start(months);
      return waitForStatus(status);
    },
    async listCodes() {
      const found = await listDifferences();
      return Object.fromEntries(found.map(({ invoice_number, code }) => [invoice_number, code]));
    },
    atListCall(nth, act) {
      let calls = 0;
      double.misbehave = (name) => (name === edits.listCall && ++calls === nth ? act() : undefined);
    },
    async patchStored(set) {
      const text = `update book_reconciliations set ${set} where tenant_id = $1 and connection_id = $2`;
      await stack.rows(tenant.id, text, [tenant.id, account.connectionId]);
    },
  };
}

/** Opens a new account with books. Its webhooks are lost, so that only comparisons read them. */
type Open<Edits extends BookEdits = BookEdits> = () => Promise<Comparing<Edits>>;

function useOpen<Account extends BookingAccount | XeroAccount, Edits extends BookEdits>(
  booking: { createAccount(): Promise<Account>; double: { webhooks: { habits: { isLost: boolean } } } },
  edit: (account: Account) => Edits,
): Open<Edits> {
  return async () => {
    booking.double.webhooks.habits.isLost = true;
    const account = await booking.createAccount();
    return compareBooks(account, edit(account));
  };
}

/** Describes what holds for the books of all vendors. */
export function describeBooks(title: string, tests: (open: Open) => void): void {
  describe(`QuickBooks: ${title}`, () => {
    requireContracts();
    tests(useOpen(useBookingStack(), (account) => new QuickBooksEdits(account)));
  });
  describeXero(title, tests);
}

/** Describes what holds for the books at Xero. */
export function describeXero(title: string, tests: (open: Open<XeroEdits>) => void): void {
  describe(`Xero: ${title}`, () => {
    requireContracts();
    tests(useOpen(useXeroStack(), (account) => new XeroEdits(account)));
  });
}
