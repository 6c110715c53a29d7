import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { type PhoningAccount, usePhoningStack } from '../../../support/vendors/phoning.js';

describe('texts through Twilio', () => {
  requireContracts();
  const phoning = usePhoningStack();
  let account: PhoningAccount;

  before(async () => {
    account = await phoning.createAccount();
  });

  it('a text leaves once, from the number of the connection, with the invoice link', async () => {
    const { phone, id } = await account.sendText();
    await account.waitForState(id, 'sent');
    const texts = phoning.double.findTexts(phone);
    expect(texts).to.have.length(1);
    expect(texts[0]?.from).to.equal('+15185550100');
    expect(texts[0]?.body).to.match(/\/i\//);
    expect(await account.readMessage(id)).to.include({ provider: 'twilio', channel: 'sms' });
  });

  it('a text whose response was lost is searched for at Twilio, and is not sent twice', async () => {
    let isFaulty = true;
    phoning.double.misbehave = (name) => {
      if (name !== 'POST Messages.json' || !isFaulty) return undefined;
      isFaulty = false;
      return { kind: 'cut_after' };
    };
    const { phone, id } = await account.sendText();
    await eventually('the text is sent', async () => {
      if (!isFaulty) await account.hurry();
      return (await account.readMessage(id)).state === 'sent';
    });
    expect(phoning.double.findTexts(phone)).to.have.length(1);
  });

  it('a 429 is safe to repeat, and the text leaves once', async () => {
    let refusals = 2;
    phoning.double.misbehave = (name) =>
      name === 'POST Messages.json' && refusals-- > 0 ? { kind: 'limit', seconds: 1 } : undefined;
    const { phone, id } = await account.sendText();
    await eventually('the text is sent', async () => {
      await account.hurry();
      return (await account.readMessage(id)).state === 'sent';
    });
    expect(phoning.double.findTexts(phone)).to.have.length(1);
  });

  it('a number that Twilio refuses fails the message with its reason, and is not tried again', async () => {
    const { id } = await account.sendText('+15005550001');
    const message = await account.waitForState(id, 'failed');
    expect(message.error).to.match(/not a valid phone number/);
    expect(message.attempts).to.equal(1);
  });

  it('a status callback that reports a failure fails the message', async () => {
    const { phone, id } = await account.sendText();
    await account.waitForState(id, 'sent');
    const [text] = phoning.double.findTexts(phone);
    const status = await phoning.double.report(text as never, 'undelivered', {
      origin: account.stack.origin,
      errorCode: 30_003,
    });
    expect(status).to.equal(200);
    const message = await account.waitForState(id, 'failed');
    expect(message.error).to.match(/30003/);
  });

  it('a status callback with a wrong signature is refused with 401', async () => {
    const { phone, id } = await account.sendText();
    await account.waitForState(id, 'sent');
    const [text] = phoning.double.findTexts(phone);
    const { pathname } = new URL(text?.callback ?? '');
    const response = await fetch(`${account.stack.origin}${pathname}`, {
      method: 'POST',
      headers: { 'x-twilio-signature': 'bm8=', 'content-type': 'application/x-www-form-urlencoded' },
      body: `MessageSid=${text?.sid}&MessageStatus=failed`,
    });
    expect(response.status).to.equal(401);
    expect((await account.readMessage(id)).state).to.equal('sent');
  });

  it('a failure whose callback was lost is found by the next pull', async () => {
    const { phone, id } = await account.sendText();
    await account.waitForState(id, 'sent');
    const [text] = phoning.double.findTexts(phone);
    Object.assign(text as object, { status: 'failed', error_code: 30_008 });
    await account.hurry();
    await account.waitForState(id, 'failed');
  });

  it('a late report of an earlier state changes neither the message nor its audit log', async () => {
    const { phone, id } = await account.sendText();
    await account.waitForState(id, 'sent');
    const [text] = phoning.double.findTexts(phone);
    const { origin } = account.stack;
    const version = `select version from external_ids where tenant_id = $1 and local_id = $2`;
    const readVersion = async () =>
      (await account.stack.rows<{ version: string }>(account.tenant.id, version, [account.tenant.id, id]))[0]
        ?.version;
    const read = async () => {
      const { body } = await account.client.get(`/audit-log?entity_type=message&entity_id=${id}`);
      return { message: await account.readMessage(id), log: body.data.items, version: await readVersion() };
    };
    await phoning.double.report(text as never, 'delivered', { origin });
    await eventually('the report is stored', async () => (await readVersion()) === '6');
    const before = await read();
    expect(before.message.state).to.equal('sent');
    expect(before.message.delivered_at).to.be.a('string');
    await phoning.double.report(text as never, 'sent', { origin });
    await eventually('the late report is read', async () => {
      await account.hurry();
      const waiting = 'select from inbound_notices where tenant_id = $1 and is_waiting';
      return (await account.stack.rows(account.tenant.id, waiting, [account.tenant.id])).length === 0;
    });
    expect(await read()).to.deep.equal(before);
    const { body } = await account.client.get(`/connections/${account.connectionId}/operations?limit=200`);
    const [operation] = body.data.items.filter(({ record_id }: { record_id: string }) => record_id === id);
    expect(operation).to.include({ state: 'done', attempts: 1 });
  });
});
