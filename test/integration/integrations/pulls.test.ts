import { expect } from 'chai';
import { eventually } from '../../support/poll.js';
import type { SentText } from '../../support/vendors/parrot-double.js';
import { type TextingAccount, useTextingStack } from '../../support/vendors/texting.js';
import { withPgClient } from '../../support/writes/rows.js';

describe('a pull from a vendor', () => {
  const texting = useTextingStack();
  let account: TextingAccount;

  before(async () => {
    account = await (await texting.createAccount()).connect();
  });

  const synchronize = (body: object = {}) =>
    account.client.post(`/connections/${account.connectionId}/sync`, body);
  const countPulls = (part = '') =>
    texting.double.requests.filter(({ name, query }) => name === 'GET /texts' && query.includes(part)).length;
  /** Sends a text. Returns the message's id, and the text as the vendor stores it. */
  const send = async (phone: string): Promise<{ id: string; text: SentText }> => {
    const id = await account.sendText(phone);
    await account.waitForMessages([id], 'sent');
    return { id, text: texting.double.texts.find(({ to }) => to === phone) as SentText };
  };
  /**
   * Makes the vendor read the next page but hold back the response. Returns a function that
   * releases the response.
   */
  const holdNextPage = async (): Promise<() => void> => {
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isHeld = false;
    texting.double.misbehave = (name) => {
      if (name !== 'GET /texts' || isHeld) return undefined;
      isHeld = true;
      return { kind: 'hold', until };
    };
    expect((await synchronize()).status).to.equal(200);
    await eventually('a page is held', () => isHeld);
    return release;
  };

  it('a pull is repeated at once if a webhook arrives after the vendor has read the page', async () => {
    const { id, text } = await send('+12125556001');
    const release = await holdNextPage();
    texting.double.settle(text, 'failed', 'The phone is switched off.');
    expect((await account.postWebhook([{ id: 'during a pull' }])).status).to.equal(200);
    release();
    await account.waitForMessages([id], 'failed', 5000);
  });

  it('a pull does not lose a request to read again since a time that arrives during the pull', async () => {
    const release = await holdNextPage();
    const before = countPulls('since=');
    expect((await synchronize({ since: '2026-02-03T00:00:00Z' })).status).to.equal(200);
    expect((await synchronize({ since: '2026-03-03T00:00:00Z' })).status).to.equal(200);
    release();
    await eventually('it is read again', () => countPulls('since=') > before, 5000);
    expect(countPulls('since=2026-02-03'), 'the earlier of both times counts').to.equal(1);
  });

  it('after an answer that leaves open whether a text was sent, the streams are read again since the first attempt, not since the write was stored', async () => {
    await account.client.post(`/connections/${account.connectionId}/pause`, {});
    const id = await account.sendText('+12125556077');
    await account.run(
      `update outbound_operations set created_at = now() - interval '2 days' where connection_id = $1 and local_id = '${id}'`,
    );
    let isLost = false;
    texting.double.misbehave = (name) => {
      if (name !== 'POST /texts' || isLost) return undefined;
      isLost = true;
      return { kind: 'status', status: 500 };
    };
    const before = texting.double.requests.length;
    await account.client.post(`/connections/${account.connectionId}/resume`, {});
    const since = await eventually('the texts are read again', async () => {
      if (isLost) await account.hurry();
      const found = texting.double.requests.slice(before).find(({ query }) => query.includes('since='));
      return found && new URLSearchParams(found.query).get('since');
    });
    const [operation] = await account.run<{ at: number }>(
      `select (extract(epoch from first_attempt_at) * 1000)::float8 as at from outbound_operations where connection_id = $1 and local_id = '${id}'`,
    );
    expect(Date.parse(String(since))).to.equal(Math.floor(operation?.at ?? 0) - 60_000);
  });

  it('a pull applies only the newest of several changes of a record on one page, and no older change later', async () => {
    const { id, text } = await send('+12125556002');
    texting.double.settle(text, 'delivered');
    const old = { ...text };
    texting.double.settle(text, 'failed', 'The phone is off.');
    texting.double.extraTexts = [old];
    await synchronize();
    await account.waitForMessages([id], 'failed', 5000);
    const versions = async () =>
      account.run<{ version: string }>(
        `select version from external_ids where connection_id = $1 and external_id = '${text.id}'`,
      );
    const [stored] = await versions();
    expect(Number(stored?.version)).to.equal(text.seq);
    texting.double.extraTexts = [old];
    const before = countPulls();
    await synchronize();
    await eventually('another page', () => countPulls() > before);
    expect(await versions()).to.deep.equal([stored]);
  });

  it('a pull applies a change whose text contains characters that PostgreSQL cannot store', async () => {
    const { id, text } = await send('+12125556003');
    texting.double.settle(text, 'failed', 'No \0such\ud800 phone.');
    texting.double.extraTexts = [{ id: 'no\0body', status: 'queued', reason: null, seq: 1 }];
    await synchronize();
    await account.waitForMessages([id], 'failed', 5000);
    expect((await account.readMessage(id)).error).to.equal('No such\ufffd phone.');
  });

  it('a pull that PostgreSQL refuses waits, is counted, and is shown as a failed run', async () => {
    const { text } = await send('+12125556004');
    texting.double.settle(text, 'delivered');
    await withPgClient(texting.stack.databaseUrl, async (client) => {
      const constraint = 'alter table external_ids add constraint refused check (false) not valid';
      await client.query(constraint);
      const before = countPulls();
      await synchronize();
      const failed = await eventually('a failed run', async () => {
        const { body } = await account.client.get(`/connections/${account.connectionId}/runs`);
        return body.data.items.find(({ state }: { state: string }) => state === 'failed');
      });
      expect(failed.error).to.equal('Something went wrong on our side.');
      await new Promise((resolve) => setTimeout(resolve, 2000));
      expect(countPulls() - before).to.equal(1);
      await client.query('alter table external_ids drop constraint refused');
    });
    expect((await account.read()).health.last_error).to.equal('Something went wrong on our side.');
    await account.hurry();
  });

  it('a pull obeys a 429: the vendor is not called before Retry-After', async () => {
    let refusedAt = 0;
    texting.double.misbehave = (name) => {
      if (name !== 'GET /texts' || refusedAt > 0) return undefined;
      refusedAt = Date.now();
      return { kind: 'limit', seconds: 2 };
    };
    await synchronize();
    await eventually('a 429', () => refusedAt > 0);
    const id = await account.sendText('+12125556005');
    await account.waitForMessages([id], 'sent');
    const [next] = texting.double.requests.filter(({ at }) => at > refusedAt + 5);
    expect(next?.at).to.be.above(refusedAt + 1990);
    await account.hurry();
  });

  it('a pull skips a report about an earlier text while its message waits to be sent again', async () => {
    const { id, text } = await send('+12125556006');
    texting.double.settle(text, 'failed', 'The phone is off.');
    await synchronize();
    await account.waitForMessages([id], 'failed', 5000);
    await account.run(
      "update connection_queues set throttled_until = now() + interval '1 h' where connection_id = $1",
    );
    await account.client.post(`/messages/${id}/retry`);
    await account.run(
      "update outbound_operations set next_at = now() + interval '1 h' where connection_id = $1 and next_at is not null",
    );
    texting.double.settle(text, 'failed', 'The phone is still off.');
    const before = countPulls();
    await account.run('update connection_queues set throttled_until = null where connection_id = $1');
    await synchronize();
    await eventually('a page', () => countPulls() > before);
    await new Promise((resolve) => setTimeout(resolve, 2000));
    expect(countPulls() - before, 'no page is read again and again').to.equal(1);
    expect((await account.readMessage(id)).state).to.equal('queued');
    await account.hurry();
    await account.waitForMessages([id], 'sent');
    expect(texting.double.texts.filter(({ to }) => to === '+12125556006')).to.have.length(2);
  });
});
