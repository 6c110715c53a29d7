/**
 * Compares months with the books of both vendors. The report has the sums of both sides, and names
 * every invoice that is not the same on both.
 */
import { expect } from 'chai';
import type { Json } from '../../../support/client.js';
import { line } from '../../../support/vendors/books/books-account.js';
import { type Comparing, describeBooks, THIS_MONTH } from '../../../support/vendors/comparing/comparing.js';

describeBooks('months are compared with the books', (open) => {
  let comparing: Comparing;
  const path = () => `/connections/${comparing.account.connectionId}/reconciliation`;

  before(async () => {
    comparing = await open();
  });
  beforeEach(() => {
    comparing.account.double.webhooks.habits.isLost = true;
  });

  it('it is not found before the first comparison, and refuses months that make no sense', async () => {
    const { client } = comparing.account;
    expect((await client.get(path())).status).to.equal(404);
    expect(await comparing.listDifferences()).to.deep.equal([]);
    for (const months of [
      { from: '2026-03', to: '2026-01' },
      { from: '2024-01', to: '2026-01' },
      { from: '2026-13', to: '2026-13' },
    ])
      expect((await client.post(path(), months)).status, JSON.stringify(months)).to.equal(400);
  });

  it('both sides of an account whose books are right have the same sums, and no difference', async () => {
    const { account } = comparing;
    await account.releaseBooked();
    const [paid] = await account.releaseBooked();
    await account.pay(paid.id, 5000);
    await account.settle();
    const { months, differences, error } = await comparing.compare({ from: '2025-12', to: THIS_MONTH });
    expect(differences, JSON.stringify(await comparing.listDifferences())).to.equal(0);
    expect(error).to.equal(null);
    expect(months[0]).to.deep.include({ month: '2025-12', differences: 0, drafts: 0 });
    const last = months.at(-1);
    expect(last.ours).to.deep.equal({
      invoices: 2,
      invoiced_cents: 25_000,
      paid_cents: 5000,
      credited_cents: 0,
    });
    expect({ ...last.theirs, credited_cents: 0 }).to.deep.equal(last.ours);
  });

  it('it names every invoice that is not the same on both sides', async () => {
    const { account, edits } = comparing;
    const before = (await comparing.read()).months.at(-1).ours;
    const [raised] = await account.releaseBooked();
    const [voided] = await account.releaseBooked();
    const [paidThere] = await account.releaseBooked();
    const [renumbered] = await account.releaseBooked();
    const [corrected] = await account.releaseBooked();
    await account.settle();
    const seen = account.bookkeeper.listInvoices();
    const idOf = (number: string) => String(seen.find((one) => one.number === number)?.id);
    account.bookkeeper.pay(idOf(paidThere.invoice_number), 4000);
    edits.raise(raised.invoice_number);
    edits.copy(voided.invoice_number, 'BY-HAND-1');
    edits.annul(voided.invoice_number);
    edits.renumber(renumbered.invoice_number, 'OTHER-1');
    for (const status of ['disputed', 'needs_review'])
      await account.client.patch(`/invoices/${corrected.id}`, { status });
    // A category without an account keeps an invoice out of the books.
    const lines = [line({ name: 'Winch', category: 'winching', unit_price_cents: 700 })];
    const stuck = await account.release({ lines });
    await account.settle();
    const report = await comparing.compare();
    const found = await comparing.listDifferences();
    expect(await comparing.listCodes(), JSON.stringify(found)).to.deep.equal({
      [raised.invoice_number]: 'amount',
      [voided.invoice_number]: 'status',
      [paidThere.invoice_number]: 'paid',
      [renumbered.invoice_number]: 'number',
      [corrected.invoice_number]: 'correction',
      [stuck.invoice_number]: 'missing_there',
      'BY-HAND-1': 'missing_here',
    });
    const { ours, theirs, differences } = report.months.at(-1);
    expect(differences).to.equal(7);
    expect(ours.invoiced_cents).to.equal(before.invoiced_cents + 4 * 12_500 + 700);
    expect(theirs.invoiced_cents).to.equal(before.invoiced_cents + 13_000 + 4 * 12_500);
    expect(theirs.paid_cents - before.paid_cents).to.equal(4000);
    expect(found.find(({ code }) => code === 'missing_there')?.message).to.match(/account for winching/);
    expect(found.find(({ code }) => code === 'amount')).to.deep.include({ invoice_id: raised.id });
  });

  it('the next comparison replaces the last one, and pages through its differences', async () => {
    const { client } = comparing.account;
    await comparing.compare({ from: '2025-01', to: '2025-02' });
    expect(await comparing.listDifferences()).to.deep.equal([]);
    await comparing.compare();
    const first = (await client.get(`${path()}/differences?limit=4`)).body.data;
    const second = (await client.get(`${path()}/differences?limit=4&cursor=${first.cursor}`)).body.data;
    const ids = [...first.items, ...second.items].map(({ id }: Json) => id);
    expect(new Set(ids).size).to.equal(7);
  });
});

describeBooks('a comparison of months with the books', (open) => {
  let comparing: Comparing;

  beforeEach(async () => {
    comparing = await open();
  });

  const shiftWrites = (invoiceId: string) => {
    const { stack, tenant } = comparing.account;
    const text = `update outbound_operations set updated_at = now() + interval '1 hour' where tenant_id = $1 and local_id = $2`;
    return stack.rows(tenant.id, text, [tenant.id, invoiceId]);
  };

  it('counts a difference in the month that it shows, if the other side has another one', async () => {
    const { account, edits } = comparing;
    const [invoice] = await account.releaseBooked();
    edits.redate(invoice.invoice_number, '2025-12-15');
    const { months } = await comparing.compare({ from: '2025-12', to: '2025-12' });
    expect(months).to.have.length(1);
    expect(months[0].differences).to.equal(1);
    expect(await comparing.listDifferences())
      .to.have.nested.property('[0]')
      .that.includes({
        code: 'month',
        month: '2025-12',
      });
    await comparing.compare();
    const [{ message } = { message: '' }] = await comparing.listDifferences();
    expect(message).to.match(new RegExp(`month ${THIS_MONTH} here, 2025-12 at`));
  });

  it('counts an invoice in the month that the time zone of the account gives it', async () => {
    const { account } = comparing;
    await account.client.patch('/settings', { time_zone: 'America/Los_Angeles' });
    await account.releaseBooked({ members: { service_date: '2026-02-01T05:00:00Z' } });
    await account.settle();
    const { months, differences } = await comparing.compare({ from: '2026-01', to: '2026-02' });
    expect(differences).to.equal(0);
    const counts = months.map(({ ours, theirs }: Json) => [ours.invoices, theirs.invoices]);
    expect(counts).to.deep.equal([
      [1, 1],
      [0, 0],
    ]);
  });

  it('names the second record of an invoice a duplicate, and counts ours once', async () => {
    const { account, edits } = comparing;
    const [invoice] = await account.releaseBooked();
    await account.settle();
    edits.copy(invoice.invoice_number, invoice.invoice_number);
    const { months } = await comparing.compare();
    expect(await comparing.listCodes()).to.deep.equal({ [invoice.invoice_number]: 'duplicate' });
    expect(months[0].ours.invoices).to.equal(1);
    expect(months[0].theirs.invoices).to.equal(2);
  });

  it('names an invoice that this service has not entered, and its second record a duplicate', async () => {
    const { account, edits } = comparing;
    const [invoice] = await account.releaseBooked();
    await account.settle();
    edits.copy(invoice.invoice_number, invoice.invoice_number);
    const text = `delete from external_ids where tenant_id = $1 and kind = 'invoice'`;
    await account.stack.rows(account.tenant.id, text, [account.tenant.id]);
    await comparing.compare();
    const codes = (await comparing.listDifferences()).map(({ code }) => code);
    expect(codes).to.have.members(['not_linked', 'duplicate']);
  });

  it('finds an invoice that an earlier connection has entered', async () => {
    const { account } = comparing;
    await account.releaseBooked();
    await account.settle();
    await account.disconnect();
    await account.connect();
    const { months, differences } = await comparing.compare();
    expect(differences).to.equal(0);
    expect(months[0].theirs.invoices).to.equal(1);
  });

  it('leaves invoices in another currency out of the sums, and names them', async () => {
    const { account, edits } = comparing;
    const [invoice] = await account.releaseBooked();
    edits.copy(invoice.invoice_number, 'CANADIAN-1', { currency: 'CAD' });
    const { months } = await comparing.compare();
    expect(months[0].theirs).to.deep.include({ invoices: 1, invoiced_cents: 12_500 });
    expect(await comparing.listCodes()).to.deep.equal({ 'CANADIAN-1': 'currency' });
  });

  it('names a difference that a write explains: one that waits, or has just reached the books', async () => {
    const { account, edits } = comparing;
    const [written] = await account.releaseBooked();
    const [viewed] = await account.releaseBooked();
    await account.settle();
    edits.raise(written.invoice_number);
    edits.raise(viewed.invoice_number);
    await shiftWrites(written.id);
    // A customer who views an invoice changes nothing that the books have.
    const view = `update invoices set updated_at = now() + interval '1 hour' where tenant_id = $1 and id = $2`;
    await account.stack.rows(account.tenant.id, view, [account.tenant.id, viewed.id]);
    account.double.misbehave = (name) =>
      /^(POST|PUT)/.test(name) ? { kind: 'status', status: 503 } : undefined;
    const waiting = await account.release({ hurries: false });
    await comparing.compare();
    expect(await comparing.listCodes()).to.deep.equal({
      [written.invoice_number]: 'changed',
      [viewed.invoice_number]: 'amount',
      [waiting.invoice_number]: 'waiting',
    });
  });
});
