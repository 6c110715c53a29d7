import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { type PhoningAccount, usePhoningStack } from '../../../support/vendors/phoning.js';

describe("the control page of Twilio's double", () => {
  requireContracts();
  const phoning = usePhoningStack();
  const customer = '+15185550171';
  let account: PhoningAccount;

  before(async () => {
    account = await phoning.createAccount();
    account.twilio.productOrigin = account.stack.origin;
  });

  const readPage = async () => (await fetch(`${phoning.double.origin}/double/`)).text();
  const press = (action: string, fields: Record<string, string> = {}) =>
    fetch(`${phoning.double.origin}/double/`, {
      method: 'POST',
      body: new URLSearchParams({ account: account.accountSid, action, ...fields }),
    });

  it('a person enters the addresses of the connection, and wrong ones are refused with a reason', async () => {
    const early = await press('Send the text', { from: customer, body: 'Hello' });
    expect([early.status, await early.text()].join(' ')).to.match(/^400 .*Save the address/s);
    const wrong = await press('Save addresses', { messages: 'no address', voice: '' });
    expect(wrong.status).to.equal(400);
    const { messages, voice } = account.inboundUrls;
    const saved = await press('Save addresses', { messages, voice });
    expect(saved.url).to.match(/\/double\/$/);
    expect(await readPage()).to.contain(messages);
  });

  it('a sent text is shown with its segments, and what a person reports becomes its state', async () => {
    const phone = '+15185550172';
    const created = await account.client.post('/messages', { to: phone, text: '<b>ж</b>'.repeat(10) });
    await account.waitForState(created.body.id, 'sent');
    const page = await readPage();
    expect(page).to.contain(phone);
    expect(page).not.to.contain('<b>');
    const [text] = phoning.double.findTexts(phone);
    expect(page).to.match(/<td>2<\/td><td>queued<\/td>/);
    await press('Deliver', { sid: text?.sid ?? '' });
    expect(await readPage()).to.contain('<td>delivered</td>');
    const other = await account.client.post('/messages', { to: '+15185550173', text: 'Hello' });
    await account.waitForState(other.body.id, 'sent');
    await press('Do not deliver', { sid: phoning.double.findTexts('+15185550173')[0]?.sid ?? '' });
    expect((await account.waitForState(other.body.id, 'failed')).error).to.match(/30003/);
  });

  it('an inbound text arrives at the product, and after STOP Twilio refuses texts until START', async () => {
    await press('Send the text', { from: customer, body: 'Where is my car?' });
    await eventually('the text arrived', async () => (await account.listInbound(customer)).length > 0);
    await press('Send the text', { from: customer, body: 'stop' });
    await eventually('STOP is recorded', async () => {
      const { body } = await account.client.get('/text-consents');
      return body.data.items.some(({ state }: { state: string }) => state === 'opted_out');
    });
    expect([...account.twilio.optedOut]).to.deep.equal([customer]);
    await press('Send the text', { from: customer, body: 'START' });
    expect([...account.twilio.optedOut]).to.be.empty;
    expect(await readPage()).to.contain('Where is my car? (the product answered 200)');
  });

  it('a person calls, hears the menu, presses a key or none, and is connected', async () => {
    await press('Call', { from: customer });
    const menu = await readPage();
    expect(menu).to.match(/Welcome to .*press 1/s);
    expect(menu).to.contain('value="Key 2"');
    await press('Key 1');
    const status = await readPage();
    expect(status).to.contain('(key 1)');
    expect(status).to.contain('We find no open job for your number');
    expect(status).to.contain('Connected to +15185550199.');
    expect(status).not.to.contain('value="Key 2"');
    await press('Hang up');
    await press('Call', { from: customer });
    await press('Press nothing');
    expect(await readPage()).to.contain('Connected to +15185550199.');
    await press('Hang up');
    expect(await readPage()).to.contain('value="Call"');
  });
});
