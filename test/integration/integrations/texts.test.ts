import { expect } from 'chai';
import { eventually } from '../../support/poll.js';
import { type TextingAccount, useTextingStack } from '../../support/vendors/texting.js';

describe('texts through a connection', () => {
  const texting = useTextingStack();
  let account: TextingAccount;

  before(async () => {
    account = await (await texting.createAccount()).connect();
  });

  const findTexts = (phone: string) => texting.double.texts.filter(({ to }) => to === phone);
  const findOperation = async (messageId: string) =>
    (await account.listOperations()).find(({ record_id }) => record_id === messageId);
  const countUndelivered = async (id: string) => {
    const path = `/audit-log?entity_type=message&entity_id=${id}&action=message.undelivered`;
    const { body } = await account.client.get(path);
    return body.data.items.filter(({ changes }: { changes: unknown[] }) => changes.length > 0).length;
  };

  it('a text leaves once through the account of the connection, and its invoice counts as sent', async () => {
    const id = await account.sendText('+12125551111');
    await account.waitForMessages([id], 'sent');
    const found = findTexts('+12125551111');
    expect(found).to.have.length(1);
    expect(await findOperation(id)).to.include({ state: 'done', attempts: 1, external_id: found[0]?.id });
    expect(await account.readMessage(id)).to.include({ provider: 'parrot', channel: 'sms' });
    const { health } = await account.read();
    expect(health).to.include({ backlog: 0, oldest_due_at: null, last_error: null });
  });

  it('a 429 is obeyed: nothing is sent to the vendor before Retry-After, and no attempt is counted', async () => {
    let refusedAt = 0;
    texting.double.misbehave = (name) => {
      if (name !== 'POST /texts' || refusedAt > 0) return undefined;
      refusedAt = Date.now();
      return { kind: 'limit', seconds: 2 };
    };
    const id = await account.sendText('+12125551112');
    await account.waitForMessages([id], 'sent');
    const later = texting.double.requests.filter(({ at }) => at > refusedAt + 5);
    expect(later[0]?.at).to.be.above(refusedAt + 1990);
    expect(findTexts('+12125551112')).to.have.length(1);
    expect((await findOperation(id))?.attempts).to.equal(1);
  });

  for (const [index, fault] of (
    [
      { kind: 'cut_before' },
      { kind: 'cut_after' },
      { kind: 'status', status: 500 },
      { kind: 'slow', ms: 3000 },
    ] as const
  ).entries()) {
    it(`a text whose request ends with ${fault.kind} is sent once`, async () => {
      let isFaulty = true;
      texting.double.misbehave = (name) => {
        if (name !== 'POST /texts' || !isFaulty) return undefined;
        isFaulty = false;
        return fault;
      };
      const phone = `+1212555200${index}`;
      const id = await account.sendText(phone);
      await eventually('the text is sent', async () => {
        if (isFaulty) return false;
        await account.hurry();
        return (await account.readMessage(id)).state === 'sent';
      });
      expect(findTexts(phone)).to.have.length(1);
    });
  }

  it('an expired access token is renewed once, and the text is sent', async () => {
    const before = texting.double.grants;
    texting.double.expireTokens();
    const id = await account.sendText('+12125551113');
    await account.waitForMessages([id], 'sent');
    expect(texting.double.grants).to.equal(before + 1);
    expect(findTexts('+12125551113')).to.have.length(1);
  });

  it('duplicate, reordered and parallel webhooks have the same effect as one webhook', async () => {
    const ids = [await account.sendText('+12125551114'), await account.sendText('+12125551115')];
    await account.waitForMessages(ids, 'sent');
    const [delivered] = findTexts('+12125551114');
    const [failed] = findTexts('+12125551115');
    texting.double.settle(delivered!, 'delivered');
    texting.double.settle(failed!, 'failed', 'The phone is switched off.');
    const events = [{ id: 'evt-2' }, { id: 'evt-1' }];
    const responses = await Promise.all(Array.from({ length: 50 }, () => account.postWebhook(events)));
    expect(new Set(responses.map(({ status }) => status))).to.deep.equal(new Set([200]));
    await account.waitForMessages([ids[1]!], 'failed');
    await account.postWebhook([{ id: 'evt-3' }]);
    await account.hurry();
    expect((await account.readMessage(ids[1]!)).error).to.equal('The phone is switched off.');
    expect((await account.readMessage(ids[0]!)).state).to.equal('sent');
    expect(await countUndelivered(ids[1]!)).to.equal(1);
    const rows = await texting.stack.rows(account.tenant.id, 'select dedupe_id from inbound_notices');
    expect(rows).to.have.length(3);
  });

  it('a number that the vendor refuses fails at once, with an issue and a notice; a retry is a new write', async () => {
    const id = await account.sendText('+12125550000');
    await account.waitForMessages([id], 'failed');
    const issue = await eventually('the issue', async () => {
      const { body } = await account.client.get(
        `/sync-issues?connection_id=${account.connectionId}&status=open`,
      );
      return body.data.items[0];
    });
    expect(issue).to.include({ kind: 'refused', record_kind: 'message', record_id: id });
    const notices = await account.client.get('/notices?kind=sync_issue_opened');
    expect(notices.body.data.items[0].entity_id).to.equal(account.connectionId);
    const readKey = async () => {
      const text = 'select operation_key from outbound_operations where local_id = $1';
      const [row] = await texting.stack.rows<{ operation_key: string }>(account.tenant.id, text, [id]);
      return row?.operation_key;
    };
    const firstKey = await readKey();
    const { body } = await account.client.get(`/sync-issues/${issue.id}`);
    expect(body).to.deep.equal(issue);
    const wrong = await account.client.post(`/sync-issues/${issue.id}/resolve`, { resolution: 'theirs' });
    expect(wrong.status).to.equal(409);
    const resolved = await account.client.post(`/sync-issues/${issue.id}/resolve`, { resolution: 'retry' });
    expect(resolved.body).to.include({ status: 'resolved', resolution: 'retry' });
    await eventually('another refusal', async () => (await findOperation(id))?.state === 'dead');
    expect(await readKey()).to.not.equal(firstKey);
    const dryRun = { since: '2026-01-01T00:00:00Z', dry_run: true };
    const count = await account.client.post(`/connections/${account.connectionId}/operations/replay`, dryRun);
    expect(count.body).to.deep.include({ dry_run: true });
    expect(count.body.data.replayed).to.equal(1);
    expect((await findOperation(id))?.state, 'a dry run changes nothing').to.equal('dead');
  });

  it('a paused connection sends nothing until it is resumed', async () => {
    const path = `/connections/${account.connectionId}`;
    expect((await account.client.post(`${path}/pause`)).body.status).to.equal('paused');
    const id = await account.sendText('+12125551116');
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(findTexts('+12125551116')).to.have.length(0);
    expect((await account.read()).health.backlog).to.equal(1);
    expect((await account.client.post(`${path}/resume`)).body.status).to.equal('active');
    await account.waitForMessages([id], 'sent');
    expect(findTexts('+12125551116')).to.have.length(1);
  });

  it('a lost access asks for a new sign-in with a notice; waiting texts are sent after the sign-in', async () => {
    texting.double.expireTokens();
    texting.double.loseRefreshTokens();
    const id = await account.sendText('+12125551117');
    await eventually('two refusals', async () => {
      await account.hurry();
      return (await account.read()).status === 'needs_reauth';
    });
    const { body } = await account.client.get('/notices?kind=connection_needs_reauth');
    expect(body.data.items[0].entity_id).to.equal(account.connectionId);
    const again = await account.client.post(`/connections/${account.connectionId}/reconnect`);
    expect((await account.signIn(again.body.authorize_url)).status).to.equal(200);
    await account.waitForStatus('active');
    await account.waitForMessages([id], 'sent');
    expect(findTexts('+12125551117')).to.have.length(1);
  });

  it('disconnecting revokes the access, deletes the secrets and fails the waiting texts', async () => {
    const other = await (await texting.createAccount('Other Towing')).connect();
    const path = `/connections/${other.connectionId}`;
    await other.client.post(`${path}/pause`);
    const id = await other.sendText('+12125551118');
    expect((await other.client.delete(path)).body.status).to.equal('revoked');
    await other.waitForMessages([id], 'failed');
    expect((await other.readMessage(id)).error).to.equal('The connection was disconnected.');
    await eventually('the secrets are gone', async () => {
      const rows = await texting.stack.rows(other.tenant.id, 'select 1 from connection_secrets');
      return rows.length === 0;
    });
    expect(texting.double.isRevoked).to.equal(true);
    expect(findTexts('+12125551118')).to.have.length(0);
    expect((await other.client.get(`${path}/runs`)).body.data.items.length).to.be.above(0);
  });
});
