import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { type BookingAccount, useBookingStack } from '../../../support/vendors/booking.js';
import { line } from '../../../support/vendors/books/books-account.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';

const INVOICES = 10;
const LINES = [
  line({ unit_price_cents: 12_500 }),
  line({ unit_price_cents: 4000, name: 'Storage', category: 'storage' }),
];

/** A resumed connection reads its account again. */
const READ_AFTER_RESUME = 'GET companyinfo';

describe('QuickBooks: calls for each invoice', () => {
  requireContracts();
  const booking = useBookingStack();
  let account: BookingAccount;
  let customerId: string;

  beforeEach(async () => {
    booking.double.webhooks.habits.isLost = true;
    account = await booking.createAccount();
    customerId = (await account.createCustomer()).id;
  });

  const act = async (action: 'pause' | 'resume') => {
    const { status } = await account.client.post(`/connections/${account.connectionId}/${action}`, {});
    expect(status).to.equal(200);
  };

  /** Releases invoices while the worker rests. Returns the calls that enter them in the books. */
  async function countCalls(invoices: number): Promise<Record<string, number>> {
    await act('pause');
    for (let nth = 0; nth < invoices; nth++)
      await account.release({ customerId, lines: LINES, hurries: false });
    const before = booking.double.calls.length;
    await act('resume');
    await account.settle();
    const calls = booking.double.calls.slice(before).filter(({ realm }) => realm === account.company.realmId);
    const names = calls.map(({ name }) => name).filter((name) => name !== READ_AFTER_RESUME);
    return Object.fromEntries(
      [...new Set(names)].map((name) => [name, names.filter((one) => one === name).length]),
    );
  }

  it('invoices with the same items look for these once, and otherwise take two calls each', async () => {
    await account.releaseBooked({ customerId });
    await account.settle();
    expect(await countCalls(INVOICES)).to.deep.equal({
      // Each number is looked for, because QuickBooks may allow one twice.
      'GET query': INVOICES + 1,
      'POST item': 1,
      'POST invoice': INVOICES,
    });
    expect(account.company.count('Invoice')).to.equal(INVOICES + 1);
    expect(account.company.count('Item')).to.equal(2);
  });

  /** Lists the ids of the items that an invoice in the books names. */
  function listItems(number: unknown): string[] {
    const { Line } = Object(account.findBooked(String(number))) as {
      Line: { SalesItemLineDetail: { ItemRef: { value: string } } }[];
    };
    return Line.map(({ SalesItemLineDetail }) => SalesItemLineDetail.ItemRef.value);
  }

  /** Makes an item inactive that the worker knows. Returns its id. */
  async function deactivateKnownItem(): Promise<string> {
    await account.releaseBooked({ customerId, lines: LINES });
    await account.settle();
    const [invoice, booked] = await account.releaseBooked({ customerId, lines: LINES });
    const [id] = listItems(invoice.invoice_number);
    expect(listItems(booked.DocNumber)).to.include(id);
    account.company.deactivateItem(String(id));
    return String(id);
  }

  /** Lists the statuses and keys of the later writes of invoices, oldest first. */
  function watchWrites(): { readKeys(): string[]; readStatuses(): Promise<(number | null)[]> } {
    const { length } = booking.double.calls;
    const since = new Date().toISOString();
    const { realmId } = account.company;
    return {
      readKeys: () =>
        booking.double.calls
          .slice(length)
          .filter(({ name, realm }) => name === 'POST invoice' && realm === realmId)
          .map(({ key }) => key),
      async readStatuses() {
        const read = `select response_status from connection_calls where tenant_id = $1 and method = 'POST'
          and path like '%/invoice' and created_at >= $2 order by created_at`;
        const { id } = account.tenant;
        const rows = await account.stack.rows<{ response_status: number | null }>(id, read, [id, since]);
        return rows.map(({ response_status }) => response_status);
      },
    };
  }

  it('an item that a bookkeeper has made inactive is created again, and no invoice stays out of the books', async () => {
    const inactive = await deactivateKnownItem();
    const writes = watchWrites();
    const [invoice] = await account.releaseBooked({ customerId, lines: LINES });
    await account.settle();
    // QuickBooks has refused the item that the worker knew.
    expect(await writes.readStatuses()).to.deep.equal([400, 200]);
    const active = account.company.list('Item').filter(({ Active }) => Active !== false);
    expect(active).to.have.length(2);
    expect(listItems(invoice.invoice_number)).to.have.members(active.map(({ Id }) => Id));
    expect(listItems(invoice.invoice_number)).not.to.include(inactive);
    expect(await account.listIssues()).to.deep.equal([]);
  });

  for (const kind of ['cut_before', 'cut_after'] as const)
    it(`an invoice whose item was refused is entered once if the next write meets ${kind}`, async () => {
      await deactivateKnownItem();
      const writes = watchWrites();
      booking.double.misbehave = (name) =>
        // A cut call is repeated at once, so it is cut twice.
        name === 'POST invoice' && [2, 3].includes(writes.readKeys().length) ? { kind } : undefined;
      const { invoice_number } = await account.release({ customerId, lines: LINES });
      await eventually('the invoice is in the books', async () => {
        await account.hurry([]);
        return account.findBooked(invoice_number);
      });
      await account.settle();
      expect((await writes.readStatuses()).slice(0, 2)).to.deep.equal([400, null]);
      const [refused, ...others] = writes.readKeys();
      expect(new Set(others).size).to.equal(1);
      expect(others).not.to.include(refused);
      const booked = account.company.list('Invoice').filter(({ DocNumber }) => DocNumber === invoice_number);
      expect(booked).to.have.length(1);
      expect(await account.listIssues()).to.deep.equal([]);
    });
});
