import { expect } from 'chai';
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

  it('an item that a bookkeeper has removed is created again, and no invoice stays out of the books', async () => {
    const { company } = account;
    await countCalls(2);
    const [removed] = company.list('Item');
    // The worker may still hold the connection, and know the item.
    const [, booked] = await account.releaseBooked({ customerId, lines: LINES });
    company.remove('Item', String(removed?.Id));
    const [invoice] = await account.releaseBooked({ customerId, lines: LINES });
    await account.settle();
    const items = (number: unknown) =>
      Object(account.findBooked(String(number))).Line.map(
        ({ SalesItemLineDetail }: { SalesItemLineDetail: { ItemRef: { value: string } } }) =>
          SalesItemLineDetail.ItemRef.value,
      );
    expect(items(booked.DocNumber)).to.include(removed?.Id);
    const present = new Set(company.list('Item').map(({ Id }) => Id));
    for (const id of items(invoice.invoice_number)) expect([...present]).to.include(id);
    expect(present.size).to.equal(2);
    expect(await account.listIssues()).to.deep.equal([]);
  });
});
