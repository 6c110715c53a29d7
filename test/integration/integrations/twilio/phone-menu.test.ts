import { expect } from 'chai';
import { SseClient } from '../../../support/network/sse-client.js';
import { eventually } from '../../../support/poll.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { type PhoningAccount, usePhoningStack } from '../../../support/vendors/phoning.js';

describe('the phone menu', () => {
  requireContracts();
  const phoning = usePhoningStack();
  let account: PhoningAccount;
  let calls = 0;

  before(async () => {
    account = await phoning.createAccount();
  });

  const newCall = () => `CA${String(++calls).padStart(32, '0')}`;
  const call = (from: string, form: Record<string, string> = {}, sid = newCall()) =>
    account.post(account.inboundUrls.voice, { CallSid: sid, From: from, To: '+15185550100', ...form });
  const press = (from: string, digit: string, sid = newCall()) =>
    account.post(`${account.inboundUrls.voice}?step=choice`, { CallSid: sid, From: from, Digits: digit });
  const findJobs = async (phone: string) => {
    const { body } = await account.client.get('/work-orders?limit=200');
    return body.data.items.filter(({ contact_phone }: { contact_phone: string }) => contact_phone === phone);
  };

  it('a caller hears the menu, and without a key is connected to the dispatcher', async () => {
    const { status, text } = await call('+15185550150');
    expect(status).to.equal(200);
    expect(text).to.match(/^<\?xml version="1.0" encoding="UTF-8"\?><Response><Gather /);
    expect(text).to.include('press 2.');
    expect(text).to.match(/action="[^"]*\/voice\?step=choice"/);
    expect(text).to.match(/<\/Gather><Dial>\+15185550199<\/Dial><\/Response>$/);
  });

  it('key 1 says the state of the job with the caller’s number, and of no other job', async () => {
    await account.client.post('/work-orders', { service_type: 'tow', contact_phone: '+15185550151' });
    expect((await press('+15185550151', '1')).text).to.match(/We have your request/);
    expect((await press('+15185550152', '1')).text).to.match(/no open job/);
  });

  it('key 2 makes one new work order with the number, even if the request is repeated', async () => {
    const phone = '+15185550153';
    const sid = newCall();
    await press(phone, '2', sid);
    expect((await press(phone, '2', sid)).text).to.match(/calls you back/);
    const found = await eventually('the job is there', async () => {
      const jobs = await findJobs(phone);
      return jobs.length > 0 && jobs;
    });
    expect(found).to.have.length(1);
    expect(found[0]).to.include({ status: 'pending', service_type: 'tow' });
  });

  it('the work order of key 2 arrives on the open board, as an event of its stream', async () => {
    const phone = '+15185550159';
    const stream = await SseClient.connect(account.stack.origin, account.client.key);
    try {
      expect(stream.status, stream.text).to.equal(200);
      await eventually('the stream runs', () => stream.lastEventId);
      await press(phone, '2');
      const event = await eventually('the event arrives', () =>
        stream.events.find(({ body }) => body.data?.object?.contact_phone === phone),
      );
      expect(event.type).to.equal('work_order.created');
      const { id } = event.body.data.object;
      const board = (await account.client.get('/dispatch-board')).body;
      expect(JSON.stringify(board)).to.include(id);
    } finally {
      stream.close();
    }
  });

  it('key 3 texts an open invoice only to the number to which the invoice belongs', async () => {
    const phone = '+15185550154';
    const customer = await account.client.post('/customers', { company_name: 'Ada', primary_phone: phone });
    const id = await account.createInvoice({ customer_id: customer.body.id });
    await account.client.post(`/invoices/${id}/send`, { channel: 'sms', to: '+15185550155' });
    expect((await press(phone, '3')).text).to.match(/We text you your invoice/);
    await eventually('the invoice is texted', () =>
      phoning.double.findTexts(phone).some(({ body }) => body.includes('/i/')),
    );
    expect((await press('+15185550156', '3')).text).to.match(/no open invoice/);
  });

  it('0, another key and speech are understood', async () => {
    expect((await press('+15185550157', '0')).text).to.match(/<Dial>/);
    expect((await press('+15185550157', '9')).text).to.match(/<Dial>/);
    const { text } = await account.post(`${account.inboundUrls.voice}?step=choice`, {
      CallSid: newCall(),
      From: '+15185550157',
      SpeechResult: 'Option 1 please',
    });
    expect(text).to.match(/no open job/);
  });

  it('a call with a wrong signature, or to an address of no connection, is refused', async () => {
    const { pathname } = new URL(account.inboundUrls.voice);
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': 'bm8=' };
    const body = 'CallSid=CA1&From=%2B15185550158';
    const wrong = await fetch(`${account.stack.origin}${pathname}`, { method: 'POST', headers, body });
    expect(wrong.status).to.equal(401);
    const unknown = await fetch(`${account.stack.origin}/hooks/twilio/abc/voice`, {
      method: 'POST',
      headers,
      body,
    });
    expect(unknown.status).to.equal(404);
  });
});
