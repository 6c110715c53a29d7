import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { type PhoningAccount, usePhoningStack } from '../../../support/vendors/phoning.js';

describe('texts from customers', () => {
  requireContracts();
  const phoning = usePhoningStack();
  let account: PhoningAccount;

  before(async () => {
    account = await phoning.createAccount();
  });

  const createJob = async (contact_phone: string) =>
    (
      await account.client.post('/work-orders', {
        service_type: 'tow',
        contact_phone,
        contact_name: 'Ada King',
      })
    ).body;
  const listTexts = (phone: string) => phoning.double.findTexts(phone);

  it('an inbound text is stored once with the open job of its number, and is an event', async () => {
    const job = await createJob('(518) 555-0131');
    const sid = 'SM0123456789abcdef0123456789abcdef';
    const { status, text } = await account.receive('+15185550131', 'How long will it take?', sid);
    expect(status).to.equal(200);
    expect(text).to.equal('<?xml version="1.0" encoding="UTF-8"?><Response></Response>');
    await account.receive('+15185550131', 'How long will it take?', sid);
    const found = await account.listInbound('+15185550131');
    expect(found).to.have.length(1);
    expect(found[0]).to.include({
      work_order_id: job.id,
      direction: 'inbound',
      state: 'received',
      invoice_id: null,
    });
    expect((await account.readMessage(found[0]?.id)).body_text).to.equal('How long will it take?');
    const { body } = await account.client.get('/events?type=message.received');
    const events = body.data.items.filter(
      ({ data }: { data: { object: { id: string } } }) => data.object.id === found[0]?.id,
    );
    expect(events).to.have.length(1);
  });

  it('a person answers, and the text leaves to the contact of the job', async () => {
    const job = await createJob('+15185550132');
    const { status, body } = await account.client.post('/messages', {
      work_order_id: job.id,
      text: 'About 20 minutes.',
    });
    expect(status, JSON.stringify(body)).to.equal(201);
    expect(body).to.include({ direction: 'outbound', work_order_id: job.id, invoice_id: null, segments: 1 });
    await account.waitForState(body.id, 'sent');
    expect(listTexts('+15185550132').map((one) => one.body)).to.deep.equal(['About 20 minutes.']);
  });

  it('after STOP a number gets no text, and after START it does again', async () => {
    const phone = '+15185550133';
    await account.receive(phone, ' Stop. ');
    const refused = await account.client.post('/messages', { to: phone, text: 'Hello' });
    const message = await account.waitForState(refused.body.id, 'failed');
    expect(message.error).to.match(/asked for no more texts/);
    expect(listTexts(phone)).to.deep.equal([]);
    const { body } = await account.client.get('/text-consents?number=5185550133');
    expect(body.data.items[0]).to.include({ state: 'opted_out', source: 'text' });
    await account.receive(phone, 'START');
    const sent = await account.client.post('/messages', { to: phone, text: 'Hello' });
    await account.waitForState(sent.body.id, 'sent');
  });

  it('STOP to one account does not stop the texts of another account to the same number', async () => {
    const other = await phoning.createAccount();
    const phone = '+15185550138';
    const send = async (from: PhoningAccount, state: string) => {
      const { body } = await from.client.post('/messages', { to: phone, text: `From ${from.accountSid}` });
      return from.waitForState(body.id, state);
    };
    await account.receive(phone, 'STOP');
    expect((await send(account, 'failed')).error).to.match(/asked for no more texts/);
    await send(other, 'sent');
    const texts = listTexts(phone);
    expect(texts.map(({ account_sid }) => account_sid)).to.deep.equal([other.accountSid]);
    const kept = await other.client.get(`/text-consents?number=${encodeURIComponent(phone)}`);
    expect(kept.body.data.items).to.deep.equal([]);
    await other.receive(phone, 'START');
    expect((await send(account, 'failed')).error).to.match(/asked for no more texts/);
  });

  it('STOP inside a sentence is no opt-out', async () => {
    await account.receive('+15185550134', 'Please stop at the second gate');
    const { body } = await account.client.get('/text-consents?number=5185550134');
    expect(body.data.items).to.deep.equal([]);
  });

  it('HELP is answered, unless the vendor has answered already', async () => {
    const phone = '+15185550135';
    await account.receive(phone, 'help');
    await eventually('the answer has left', () => listTexts(phone).length === 1);
    expect(listTexts(phone)[0]?.body).to.match(/Reply STOP/);
    await account.post(account.inboundUrls.messages, {
      MessageSid: 'SM1123456789abcdef0123456789abcdef',
      From: phone,
      To: '+15185550100',
      Body: 'HELP',
      OptOutType: 'HELP',
    });
    expect((await account.listInbound(phone)).length).to.equal(2);
    expect(listTexts(phone)).to.have.length(1);
  });

  it('a number that has opted out at Twilio is recorded as opted out', async () => {
    const { id } = await account.sendText('+15005550610');
    await account.waitForState(id, 'failed');
    const { body } = await account.client.get('/text-consents?number=%2B15005550610');
    expect(body.data.items[0]).to.include({ state: 'opted_out', source: 'vendor' });
  });

  it('a person records a consent, and what was recorded before is replaced', async () => {
    const number = '+15185550136';
    await account.client.post('/text-consents', { number, state: 'opted_out' });
    const { status, body } = await account.client.post('/text-consents', { number, state: 'opted_in' });
    expect(status).to.equal(201);
    expect(body).to.include({ number, state: 'opted_in', source: 'person' });
    const list = await account.client.get('/text-consents?number=5185550136');
    expect(list.body.data.items).to.have.length(1);
    const bad = await account.client.post('/text-consents', { number: 'x1', state: 'opted_out' });
    expect(bad.status).to.equal(400);
  });

  it('a text with a wrong signature is refused, and stores nothing', async () => {
    const { pathname } = new URL(account.inboundUrls.messages);
    const response = await fetch(`${account.stack.origin}${pathname}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': 'bm8=' },
      body: 'MessageSid=SM2&From=%2B15185550137&To=%2B15185550100&Body=hi',
    });
    expect(response.status).to.equal(401);
    expect(await account.listInbound('+15185550137')).to.deep.equal([]);
  });
});
