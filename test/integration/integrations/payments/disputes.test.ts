import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { Json } from '../../../support/client.js';
import { eventually } from '../../../support/poll.js';
import { addPhoto } from '../../../support/records/pictures.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { type PayingAccount, usePayingStack } from '../../../support/vendors/paying.js';

/** Finds the JPEG pictures in a PDF, in the order of their pages. */
function* findJpegs(pdf: Buffer): Generator<Buffer> {
  const text = pdf.toString('latin1');
  for (const { index, 0: head, 1: length } of text.matchAll(/\/DCTDecode.*?\/Length (\d+).*?stream\r?\n/gs)) {
    const start = index + head.length;
    yield pdf.subarray(start, start + Number(length));
  }
}

describe('disputed payments', () => {
  requireContracts();
  const paying = usePayingStack();
  let account: PayingAccount;

  before(async () => {
    account = await paying.createAccount({ methods: ['card', 'us_bank_account'] });
  });

  async function takePayment(cents: number, method: 'card' | 'us_bank_account' = 'card') {
    const id = await account.createInvoice(cents);
    const { url } = await account.openPayLink(id);
    const intent = account.double.pay(url, method);
    if (method === 'us_bank_account') account.double.settle(intent);
    await account.waitForInvoice(id, 'paid');
    return { id, intent };
  }
  const waitForDispute = (invoiceId: string, status: string) =>
    eventually(`the dispute is ${status}`, async () => {
      const { body } = await account.client.get(`/disputes?invoice_id=${invoiceId}`);
      const [found] = body.data.items;
      return found?.status === status && found;
    });

  it('a dispute makes the invoice disputed, with the deadline for evidence', async () => {
    const { id, intent } = await takePayment(10_000);
    account.double.dispute(intent);
    const dispute = await waitForDispute(id, 'open');
    expect(dispute).to.include({ amount_cents: 10_000, reason: 'fraudulent', evidence_sent_at: null });
    expect(Date.parse(dispute.respond_by)).to.be.above(Date.now() + 6 * 86_400_000);
    expect((await account.readInvoice(id)).status).to.equal('disputed');
    const { body } = await account.client.get('/notices');
    const notice = body.data.items.find(({ entity_id }: { entity_id: string }) => entity_id === dispute.id);
    expect(notice).to.include({ kind: 'payment_disputed' });
  });

  it('evidence is sent once, with what the account holds', async () => {
    const { id, intent } = await takePayment(10_000);
    const made = account.double.dispute(intent);
    const dispute = await waitForDispute(id, 'open');
    const path = `/disputes/${dispute.id}/evidence`;
    const { status, body } = await account.client.post(path, { text: 'The owner signed at the gate.' });
    expect(status, JSON.stringify(body)).to.equal(200);
    await eventually('the evidence is at the vendor', () => made.status === 'under_review');
    expect(made.evidence).to.include({
      customer_name: 'Riverside Motors',
      customer_email_address: 'pay@riverside.example.com',
      uncategorized_text: 'The owner signed at the gate.',
    });
    const receipt = account.vendor.find((made.evidence as { receipt: string }).receipt, 'file');
    expect(receipt).to.include({ filename: 'invoice.pdf', purpose: 'dispute_evidence' });
    expect((await account.client.post(path, {})).status).to.equal(409);
    await account.hurry([]);
    const answers = paying.double.calls.filter(({ name }) => name === `POST /v1/disputes/${made.id}`);
    expect(answers).to.have.length(1);
    expect(made.evidence_details).to.include({ submission_count: 1, has_evidence: true });
  });

  /** The log has each step with its time, in their order. */
  function expectLog(text: string, { body }: { body: Json }): void {
    const lines = text.split('\n');
    const start = lines.indexOf('Log of the work:') + 1;
    expect(start).to.be.above(0);
    const steps: Json[] = body.data.items.filter(({ step }: Json) => step !== null).toReversed();
    const log = lines.slice(start, start + steps.length).map((one) => {
      const end = one.lastIndexOf(': ');
      return [Date.parse(one.slice(0, end)), one.slice(end + 2)];
    });
    expect(log).to.deep.equal(steps.map(({ step, at }) => [Date.parse(at), step]));
  }

  /** Each photo is named with its hash, and is in the file with the photos as it was stored. */
  function expectPhotos(text: string, { listed, file }: { listed: Json[]; file: object | undefined }): void {
    const content: Buffer = Reflect.get(file ?? {}, 'content');
    const pictures = [...findJpegs(content)].map((one) => createHash('sha256').update(one).digest('hex'));
    const hashes = [...text.matchAll(/^Photo \d+: .*stored \S+, SHA-256 ([0-9a-f]{64})$/gm)].map(
      ([, hash]) => hash,
    );
    expect(hashes).to.have.members(listed.map(({ sha256 }) => sha256));
    expect(pictures).to.deep.equal(hashes);
    const narrow = listed.find(({ width }) => width === 300);
    expect(text).to.match(
      new RegExp(`taken 2026-05-04T03:02:01\\S*, stored \\S+, SHA-256 ${narrow?.sha256}`),
    );
  }

  it('evidence about a work order has its log, its invoice and its photos, and is sent once after a lost answer', async () => {
    const id = await account.createInvoice(10_000);
    const { body: order } = await account.client.post('/work-orders', { service_type: 'tow' });
    const driver = await account.client.post('/drivers', { name: 'Bo', phone: '+15187770001' });
    const truck = await account.client.post('/trucks', { unit_number: 'T-9', duty_class: 'light' });
    const crew = { truck_id: truck.body.id, driver_id: driver.body.id };
    expect((await account.client.post(`/work-orders/${order.id}/assign`, crew)).status).to.equal(200);
    for (const step of ['en_route', 'on_scene', 'hooked'])
      expect((await account.client.post(`/work-orders/${order.id}/steps`, { step })).status).to.equal(200);
    for (const width of [400, 350, 300]) await addPhoto(account.client, order.id, width);
    const tooLarge = 'update work_order_photos set bytes = 4000000 where tenant_id = $1 and width = 350';
    await paying.stack.rows(account.tenant.id, tooLarge, [account.tenant.id]);
    const taken =
      "update work_order_photos set taken_at = '2026-05-04T03:02:01Z' where tenant_id = $1 and width = 300";
    await paying.stack.rows(account.tenant.id, taken, [account.tenant.id]);
    const link = 'update invoices set work_order_id = $3 where tenant_id = $1 and id = $2';
    await paying.stack.rows(account.tenant.id, link, [account.tenant.id, id, order.id]);
    const intent = account.double.pay((await account.openPayLink(id)).url, 'card');
    await account.waitForInvoice(id, 'paid');
    const made = account.double.dispute(intent);
    const dispute = await waitForDispute(id, 'open');
    let isLost = false;
    account.double.misbehave = (name) => {
      if (isLost || !name.startsWith('POST /v1/disputes/')) return undefined;
      isLost = true;
      return { kind: 'cut_after' };
    };
    await account.client.post(`/disputes/${dispute.id}/evidence`, {});
    await eventually('the evidence has left', async () => {
      await account.hurry([]);
      const { body } = await account.client.get(`/connections/${account.connectionId}/operations?state=done`);
      return body.data.items.some(({ record_id }: { record_id: string }) => record_id === dispute.id);
    });
    account.double.misbehave = () => undefined;
    const evidence = made.evidence as Record<string, string>;
    expect(evidence.uncategorized_text).to.contain(
      'The file has 2 of 3 photos that were taken at the scene.',
    );
    const photos = account.vendor.find(evidence.service_documentation, 'file');
    expect(photos).to.include({ filename: 'photos.pdf' });
    expectLog(evidence.uncategorized_text ?? '', await account.client.get(`/work-orders/${order.id}/steps`));
    const listed = await account.client.get(`/work-orders/${order.id}/photos`);
    const items = listed.body.data.items.filter(({ width }: { width: number }) => width !== 350);
    expectPhotos(evidence.uncategorized_text ?? '', { listed: items, file: photos });
    expect((made.evidence_details as { submission_count: number }).submission_count).to.equal(1);
  });

  it('a won dispute leaves the invoice paid', async () => {
    const { id, intent } = await takePayment(10_000);
    const made = account.double.dispute(intent);
    await waitForDispute(id, 'open');
    account.double.closeDispute(made, 'won');
    await waitForDispute(id, 'won');
    expect(await account.readInvoice(id)).to.include({ status: 'paid', paid_cents: 10_000 });
  });

  it('a lost dispute takes the payment back, and the invoice is open again', async () => {
    const { id, intent } = await takePayment(10_000);
    const made = account.double.dispute(intent);
    await waitForDispute(id, 'open');
    account.double.closeDispute(made, 'lost');
    await waitForDispute(id, 'lost');
    const invoice = await account.readInvoice(id);
    expect(invoice).to.include({ paid_cents: 0, balance_due_cents: 10_000 });
    expect(invoice.status).to.not.equal('disputed');
    const [payment] = await account.listPayments(id);
    const { body } = await account.client.get(`/refunds?payment_id=${payment?.id}`);
    expect(body.data.items.map(({ reason }: { reason: string }) => reason)).to.deep.equal([
      'Dispute lost: fraudulent',
    ]);
  });

  for (const pulled of [false, true])
    it(`a dispute that ${pulled ? 'a pull' : 'a webhook'} brings before its payment is recorded after it`, async () => {
      const id = await account.createInvoice(10_000);
      const { url } = await account.openPayLink(id);
      const { habits } = account.double.webhooks;
      await account.waitForPulls();
      habits.isLost = true;
      const intent = account.double.pay(url, 'card');
      if (!pulled) habits.isLost = false;
      account.double.closeDispute(account.double.dispute(intent), 'lost');
      habits.isLost = false;
      await account.hurry(pulled ? ['disputes'] : []);
      await eventually('the dispute waits', async () => (await account.countWaitingNotices()) > 0);
      expect(await account.listPayments(id)).to.deep.equal([]);
      await eventually('the payment is taken back', async () => {
        await account.hurry();
        const [payment] = await account.listPayments(id);
        return payment?.refunded_cents === 10_000;
      });
      expect((await account.readInvoice(id)).balance_due_cents).to.equal(10_000);
    });

  it('a bank debit that comes back after it had settled reopens the invoice', async () => {
    const { id, intent } = await takePayment(6000, 'us_bank_account');
    account.double.dispute(intent, 'insufficient_funds');
    await waitForDispute(id, 'lost');
    expect(await account.readInvoice(id)).to.include({ paid_cents: 0, balance_due_cents: 6000 });
    const { body } = await account.client.get('/notices');
    expect(body.data.items[0]).to.include({ kind: 'payment_returned' });
  });
});
