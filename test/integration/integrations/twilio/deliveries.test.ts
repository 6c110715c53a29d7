import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import type { SentMessage } from '../../../support/vendors/doubles/twilio/messages.js';
import { type PhoningAccount, usePhoningStack } from '../../../support/vendors/phoning.js';

describe('texts that arrive, as Twilio reports them', () => {
  requireContracts();
  const phoning = usePhoningStack();
  let account: PhoningAccount;

  before(async () => {
    account = await phoning.createAccount();
  });

  async function sendText(): Promise<{ id: string; text: SentMessage }> {
    const { phone, id } = await account.sendText();
    await account.waitForState(id, 'sent');
    return { id, text: phoning.double.findTexts(phone)[0] as SentMessage };
  }
  const report = (text: SentMessage, status: string, errorCode: number | null = null) =>
    phoning.double.report(text, status, { origin: account.stack.origin, errorCode });
  const waitForDelivery = (id: string) =>
    eventually('the text is delivered', async () => {
      const message = await account.readMessage(id);
      return message.delivered_at !== null && message;
    });
  /** Waits until the worker has read all reports, and returns the message. */
  async function readSettled(id: string) {
    const waiting = 'select from inbound_notices where tenant_id = $1 and is_waiting';
    await eventually('the worker has read the reports', async () => {
      const rows = await account.stack.rows(account.tenant.id, waiting, [account.tenant.id]);
      return rows.length === 0;
    });
    return account.readMessage(id);
  }

  it('a status callback that reports a delivery sets delivered_at, without a call to Twilio', async () => {
    const { id, text } = await sendText();
    expect(await account.readMessage(id)).to.include({ delivered_at: null });
    phoning.double.calls.length = 0;
    const before = Date.now();
    expect(await report(text, 'delivered')).to.equal(200);
    const message = await waitForDelivery(id);
    expect(message).to.include({ state: 'sent', error: null });
    expect(Date.parse(message.delivered_at)).to.be.within(before - 1, Date.now());
    const names = phoning.double.calls.map(({ name }) => name);
    expect(names).not.to.include(`GET ${text.sid}.json`);
    const { body } = await account.client.get(`/messages?invoice_id=${message.invoice_id}`);
    expect(body.data.items[0].delivered_at).to.equal(message.delivered_at);
  });

  it('repeated callbacks, and late ones of an earlier state, change nothing after the delivery', async () => {
    const { id, text } = await sendText();
    await report(text, 'delivered');
    const delivered = await waitForDelivery(id);
    for (const status of ['delivered', 'sent', 'queued', 'read', 'delivered'])
      expect(await report(text, status)).to.equal(200);
    expect(await readSettled(id)).to.deep.equal(delivered);
  });

  it('a failure that is reported after the delivery is ignored', async () => {
    const { id, text } = await sendText();
    await report(text, 'delivered');
    const delivered = await waitForDelivery(id);
    await report(text, 'undelivered', 30_003);
    expect(await readSettled(id)).to.deep.equal(delivered);
  });

  it('a delivery that is reported after the failure is ignored', async () => {
    const { id, text } = await sendText();
    await report(text, 'undelivered', 30_003);
    const failed = await account.waitForState(id, 'failed');
    await report(text, 'delivered');
    expect(await readSettled(id)).to.deep.equal(failed);
    expect(failed.delivered_at).to.equal(null);
  });

  it('a delivery whose callback was lost is found by the next pull, with the time that Twilio reports', async () => {
    const { id, text } = await sendText();
    const at = new Date(Math.floor(Date.now() / 1000) * 1000 + 1000);
    await new Promise((resolve) => setTimeout(resolve, at.getTime() - Date.now()));
    Object.assign(text, { status: 'delivered', date_updated: at.toUTCString().replace('GMT', '+0000') });
    await account.hurry();
    const message = await waitForDelivery(id);
    expect(message.delivered_at).to.equal(at.toISOString());
  });

  it('a delivery whose time Twilio does not say is found by the next pull, with the time of that pull', async () => {
    const { id, text } = await sendText();
    const before = Date.now();
    Object.assign(text, { status: 'delivered', date_updated: null });
    await account.hurry();
    const message = await waitForDelivery(id);
    expect(Date.parse(message.created_at)).to.be.lessThan(before);
    expect(Date.parse(message.delivered_at)).to.be.within(before - 1, Date.now());
  });

  it('a report about a text of another program is read once while no write waits for its answer', async () => {
    const { id } = await sendText();
    const sid = `SM${'0'.repeat(31)}7`;
    await account.stack.rows(
      account.tenant.id,
      `insert into inbound_notices (tenant_id, connection_id, dedupe_id, stream, hint, is_waiting)
       values ($1, $2, $3, 'messages', $4, true)`,
      [account.tenant.id, account.connectionId, `${sid}/delivered`, sid],
    );
    await account.hurry();
    await readSettled(id);
    const read = 'select attempts from inbound_notices where tenant_id = $1 and hint = $2';
    expect(await account.stack.rows(account.tenant.id, read, [account.tenant.id, sid])).to.deep.equal([
      { attempts: 1 },
    ]);
  });

  it('a callback that comes before the lost response was found sets delivered_at once the text is known', async () => {
    const account = await phoning.createAccount();
    const run = (sql: string) => account.stack.rows(account.tenant.id, sql, [account.tenant.id]);
    // A pull would find the delivery too.
    await run("delete from sync_states where tenant_id = $1 and stream = 'messages'");
    let isCut = false;
    phoning.double.misbehave = (name) => {
      if (isCut || name !== 'POST Messages.json') return undefined;
      isCut = true;
      return { kind: 'cut_after' };
    };
    const { phone, id } = await account.sendText();
    const text = await eventually('Twilio has the text', () => phoning.double.findTexts(phone)[0]);
    await eventually('the write waits for its second attempt', async () => {
      const waiting = 'select from outbound_operations where tenant_id = $1 and may_have_arrived';
      return (await run(`${waiting} and state = 'due'`)).length > 0;
    });
    const later = "update outbound_operations set next_at = now() + interval '1 hour' where tenant_id = $1";
    await run(`${later} and next_at is not null`);
    await run('update connection_queues set open_until = null, opened = 0 where tenant_id = $1');
    expect(await report(text, 'delivered')).to.equal(200);
    await eventually('the worker has read the callback', async () => {
      const read = 'select from inbound_notices where tenant_id = $1 and attempts > 0';
      return (await run(`${read} and dedupe_id = '${text.sid}/delivered'`)).length > 0;
    });
    expect(await account.readMessage(id)).to.include({ state: 'queued', delivered_at: null });
    await eventually('the text is sent', async () => {
      await account.hurry();
      return (await account.readMessage(id)).state === 'sent';
    });
    await eventually(
      'the text is delivered',
      async () => (await account.readMessage(id)).delivered_at !== null,
    );
    expect(phoning.double.findTexts(phone)).to.have.length(1);
  });

  it('a report of an earlier version of this service, which stored every status, changes nothing', async () => {
    const { id, text } = await sendText();
    const sent = await account.readMessage(id);
    await account.stack.rows(
      account.tenant.id,
      `insert into inbound_notices (tenant_id, connection_id, dedupe_id, stream, hint, is_waiting)
       values ($1, $2, $3, 'messages', $4, true)`,
      [account.tenant.id, account.connectionId, `${text.sid}/sent`, text.sid],
    );
    await account.hurry();
    expect(await readSettled(id)).to.deep.equal(sent);
    await report(text, 'delivered');
    await waitForDelivery(id);
  });

  it('a text that an earlier version has read as delivered gets delivered_at by the next pull', async () => {
    const { id, text } = await sendText();
    await account.stack.rows(
      account.tenant.id,
      "update external_ids set version = '5' where tenant_id = $1 and local_id = $2",
      [account.tenant.id, id],
    );
    Object.assign(text, { status: 'delivered' });
    await account.hurry();
    await waitForDelivery(id);
  });
});
