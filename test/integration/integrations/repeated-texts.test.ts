import { expect } from 'chai';
import { eventually } from '../../support/poll.js';
import type { Fault } from '../../support/vendors/contracts/fault.js';
import { type TextingAccount, useTextingStack } from '../../support/vendors/texting.js';

describe('a text whose outcome is unknown', () => {
  const texting = useTextingStack();
  let account: TextingAccount;

  before(async () => {
    account = await (await texting.createAccount()).connect();
  });

  const findTexts = (phone: string) => texting.double.texts.filter(({ to }) => to === phone);
  const move = (verb: string, one = account) => one.client.post(`/connections/${one.connectionId}/${verb}`);
  const failWith = (fault: Fault) => {
    texting.double.misbehave = (name) => (name === 'POST /texts' ? fault : undefined);
  };
  const waitForArrival = async (phone: string, id: string, one = account) => {
    await eventually('it arrived', () => findTexts(phone).length === 1);
    await eventually('its attempt ended', async () => {
      const [operation] = await one.findOperations(id);
      return operation?.state === 'due' && operation.attempts === 1;
    });
  };
  /**
   * Sends a text. The first attempt arrives but gets no response, and later attempts fail until the
   * worker gives up. Returns the message's id.
   */
  const exhaust = async (phone: string): Promise<string> => {
    await move('pause');
    const id = await account.sendText(phone);
    // Change the stored content. If a retry sent the changed content under the same key, the double
    // would see two different texts under one key and record a violation.
    await account.run(
      `update messages set body_text = body_text || ' (first)' where id = '${id}' or $1::text is null`,
    );
    failWith({ kind: 'cut_after' });
    await move('resume');
    await waitForArrival(phone, id);
    failWith({ kind: 'status', status: 500 });
    await account.run(
      "update outbound_operations set attempts = 9 where connection_id = $1 and state = 'due'",
    );
    await account.hurry();
    await account.waitForMessages([id], 'failed');
    expect(await account.findOperations(id)).to.have.nested.property('[0].state', 'dead');
    texting.double.misbehave = () => undefined;
    await account.hurry();
    return id;
  };
  const findIssue = async (id: string, one = account) =>
    eventually('an issue', async () => {
      const { body } = await one.client.get('/sync-issues?status=open');
      return body.data.items.find(({ record_id }: { record_id: string }) => record_id === id);
    });

  it('a text whose outcome is unknown is not sent a second time by the retry of its message', async () => {
    const id = await exhaust('+12125557001');
    expect((await account.client.post(`/messages/${id}/retry`)).status).to.equal(200);
    await account.waitForMessages([id], 'sent');
    expect(findTexts('+12125557001')).to.have.length(1);
    expect(await account.findOperations(id)).to.have.length(1);
  });

  it('a text whose outcome is unknown is not sent a second time by retries of its issue and its message', async () => {
    const id = await exhaust('+12125557002');
    const issue = await findIssue(id);
    await move('pause');
    await account.client.post(`/messages/${id}/retry`);
    await account.client.post(`/sync-issues/${issue.id}/resolve`, { resolution: 'retry' });
    await account.client.post(`/messages/${id}/retry`);
    await move('resume');
    await account.waitForMessages([id], 'sent');
    await eventually('nothing waits', async () => (await account.read()).health.backlog === 0);
    expect(findTexts('+12125557002')).to.have.length(1);
  });

  it('a text that never got a response is sent once', async () => {
    failWith({ kind: 'hold', until: new Promise(() => {}) });
    const id = await account.sendText('+12125557003');
    await waitForArrival('+12125557003', id);
    texting.double.misbehave = () => undefined;
    await account.hurry();
    await account.waitForMessages([id], 'sent');
    expect(findTexts('+12125557003')).to.have.length(1);
  });

  it('a withdrawn text with an unknown outcome is searched for at the vendor, and is not sent', async () => {
    failWith({ kind: 'cut_before' });
    const id = await account.sendText('+12125557004');
    await eventually('an attempt', async () => (await account.findOperations(id))[0]?.attempts === 1);
    await eventually('its end', async () => (await account.findOperations(id))[0]?.state === 'due');
    await voidInvoice(account, id);
    texting.double.misbehave = () => undefined;
    await account.hurry();
    await account.waitForMessages([id], 'failed');
    expect((await account.readMessage(id)).error).to.equal('The invoice was void before the message left.');
    expect(findTexts('+12125557004')).to.have.length(0);
  });

  it('a text that is withdrawn after the vendor has accepted it counts as sent', async () => {
    failWith({ kind: 'cut_after' });
    const id = await account.sendText('+12125557005');
    await waitForArrival('+12125557005', id);
    await voidInvoice(account, id);
    texting.double.misbehave = () => undefined;
    await account.hurry();
    await account.waitForMessages([id], 'sent');
    expect(findTexts('+12125557005')).to.have.length(1);
  });

  it('a withdrawn text with an unknown outcome opens an issue if the vendor cannot search for it', async () => {
    const { account: ownAccount } = texting.double;
    texting.double.account = 'acct-keys';
    const keyed = await (await texting.createAccount('Keyed Towing')).connectWithKey('live_key_of_keys');
    failWith({ kind: 'cut_before' });
    const id = await keyed.sendText('+12125557006');
    await eventually('its attempt ended', async () => {
      const [operation] = await keyed.findOperations(id);
      return operation?.state === 'due' && operation.attempts === 1;
    });
    await voidInvoice(keyed, id);
    texting.double.misbehave = () => undefined;
    await keyed.hurry();
    await keyed.waitForMessages([id], 'failed');
    expect(await findIssue(id, keyed)).to.include({ kind: 'exhausted' });
    expect((await keyed.readMessage(id)).error).to.include('It may have left before');
    expect(findTexts('+12125557006')).to.have.length(0);
    texting.double.account = ownAccount;
  });

  it('a text is not sent if a newer sending of its invoice has replaced it', async () => {
    await move('pause');
    const id = await account.sendText('+12125557007');
    const { invoice_id, body_text } = await account.readMessage(id);
    // Open the invoice as the customer. An invoice that was viewed can be sent again.
    await fetch(`${texting.stack.origin}${new URL(body_text.split(' ').at(-1)).pathname}`);
    const again = await account.client.post(`/invoices/${invoice_id}/send`, {
      channel: 'email',
      to: 'customer@example.com',
    });
    expect(again.status, JSON.stringify(again.body)).to.equal(200);
    await move('resume');
    await eventually('it ended', async () => (await account.findOperations(id))[0]?.state === 'dead');
    expect(findTexts('+12125557007')).to.have.length(0);
  });

  async function voidInvoice(one: TextingAccount, messageId: string): Promise<void> {
    const { invoice_id } = await one.readMessage(messageId);
    const { status, body } = await one.client.post(`/invoices/${invoice_id}/void`, {
      reason: 'Wrong customer',
    });
    expect(status, JSON.stringify(body)).to.equal(200);
  }
});
