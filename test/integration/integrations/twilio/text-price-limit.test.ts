import { expect } from 'chai';
import { readTextLimits } from '../../../../shared/integrations/contract/text-limits.js';
import type { Json } from '../../../support/client.js';
import { eventually } from '../../../support/poll.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { type PhoningAccount, usePhoningStack } from '../../../support/vendors/phoning.js';

describe('daily price limit of texts', () => {
  requireContracts();
  const phoning = usePhoningStack();
  let account: PhoningAccount;
  let nextPhone = 5_185_570_100;

  beforeEach(async () => {
    account = await phoning.createAccount();
  });

  async function write(text = 'Hello'): Promise<{ id: string; phone: string }> {
    const phone = `+1${nextPhone++}`;
    const { status, body } = await account.client.post('/messages', { to: phone, text });
    expect(status, JSON.stringify(body)).to.equal(201);
    return { id: body.id, phone };
  }
  const listNotices = async (): Promise<Json[]> => {
    const { body } = await account.client.get('/notices');
    return body.data.items.filter(({ kind }: { kind: string }) => kind === 'text_limit_reached');
  };
  const moveDay = () =>
    account.stack.rows(account.tenant.id, 'update text_days set day = day - 1 where tenant_id = $1', [
      account.tenant.id,
    ]);

  it('the worker stops before the limit is exceeded, and the account gets one notice a day', async () => {
    // The limit allows three segments of 2 cents.
    await account.change({ daily_limit_cents: 7, segment_price_cents: 2 });
    await account.waitForState((await write('a'.repeat(161))).id, 'sent');
    const long = await write('b'.repeat(161));
    const failed = await account.waitForState(long.id, 'failed');
    expect(failed.error).to.match(/cost more than daily_limit_cents/);
    // A text of one segment still fits the limit, although the longer text did not.
    await account.waitForState((await write()).id, 'sent');
    const short = await write();
    await account.waitForState(short.id, 'failed');
    expect(phoning.double.findTexts(long.phone)).to.be.empty;
    expect(phoning.double.findTexts(short.phone)).to.be.empty;
    await eventually('the notice', async () => (await listNotices()).length > 0);
    const [notice, ...others] = await listNotices();
    expect(others).to.be.empty;
    expect(notice).to.include({ entity_type: 'connection', entity_id: account.connectionId });
    const issues = await account.client.get(`/sync-issues?connection_id=${account.connectionId}`);
    expect(issues.body.data.items, 'a limit of our own is no sync issue').to.be.empty;

    await moveDay();
    await account.waitForState((await write('c'.repeat(459))).id, 'sent');
    await account.waitForState((await write()).id, 'failed');
    await eventually('the notice of the next day', async () => (await listNotices()).length === 2);
  });

  it('a text that fails many times at Twilio counts once', async () => {
    await account.change({ daily_limit_cents: 2, segment_price_cents: 1 });
    let refusals = 3;
    phoning.double.misbehave = (name) =>
      name === 'POST Messages.json' && refusals-- > 0 ? { kind: 'limit', seconds: 1 } : undefined;
    const { id } = await write();
    await eventually('the text is sent', async () => {
      await account.hurry();
      return (await account.readMessage(id)).state === 'sent';
    });
    await account.waitForState((await write()).id, 'sent');
    await account.waitForState((await write()).id, 'failed');
  });

  it('a text with an invoice over the limit fails its sending, and leaves after the limit is raised', async () => {
    await account.change({ daily_limit_cents: 1, segment_price_cents: 1.3 });
    const { id, phone } = await account.sendText();
    const message = await account.waitForState(id, 'failed');
    expect((await account.client.get(`/invoices/${message.invoice_id}`)).body.delivery.state).to.equal(
      'failed',
    );
    await account.change({ daily_limit_cents: 100 });
    await account.client.post(`/messages/${id}/retry`, {});
    await account.waitForState(id, 'sent');
    expect(phoning.double.findTexts(phone)).to.have.length(1);
  });

  it('the limit is whole cents above zero, and the price may be a part of a cent', async () => {
    const patch = (settings: object) =>
      account.client.patch(`/connections/${account.connectionId}`, {
        settings: { from_number: '+15185550100', ...settings },
      });
    expect((await patch({ daily_limit_cents: 0 })).status).to.equal(400);
    expect((await patch({ daily_limit_cents: 10.5 })).status).to.equal(400);
    expect((await patch({ segment_price_cents: 0 })).status).to.equal(400);
    expect((await patch({ daily_limit_cents: 1, segment_price_cents: 0.75 })).status).to.equal(200);
    const perDay = (settings: Record<string, number>) => readTextLimits(settings).segmentsPerDay;
    expect(perDay({})).to.equal(undefined);
    expect(perDay({ daily_limit_cents: 65 })).to.equal(50);
    expect(perDay({ daily_limit_cents: 100, segment_price_cents: 0.79 })).to.equal(126);
    expect(perDay({ daily_limit_cents: 3, segment_price_cents: 0.1 })).to.equal(30);
  });
});
