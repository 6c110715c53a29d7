import { expect } from 'chai';
import { openWritesQueue } from '../../../shared/queues/writes.js';
import { eventually } from '../../support/poll.js';
import type { Fault } from '../../support/vendors/contracts/fault.js';
import { type TextingAccount, useTextingStack } from '../../support/vendors/texting.js';

describe('the credentials of a connection', () => {
  const texting = useTextingStack();
  let nextAccount = 1;

  beforeEach(() => {
    texting.double.account = `acct-${nextAccount++}`;
  });

  const connect = async () => (await texting.createAccount()).connect();
  const pathOf = ({ connectionId }: TextingAccount) => `/connections/${connectionId}`;
  const count = (name: string) => texting.double.requests.filter((request) => request.name === name).length;
  const findTexts = (phone: string) => texting.double.texts.filter(({ to }) => to === phone);
  const failWith = (name: string, fault: Fault) => {
    texting.double.misbehave = (called) => (called === name ? fault : undefined);
  };
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  it('refused credentials of a connection are not tried again until a person acts, even while no command runs', async () => {
    const keyed = await (await texting.createAccount()).connectWithKey('live_key_to_refuse');
    texting.double.expireTokens();
    const queue = openWritesQueue(texting.stack.runtime);
    const id = await keyed.sendText('+12125558001');
    await keyed.waitForMessages([id], 'queued');
    await eventually('a refusal', async () => (await keyed.read()).health.last_error !== null);
    await keyed.waitForStatus('needs_reauth');
    await queue.pause();
    try {
      const before = texting.double.requests.length;
      await keyed.run("update connections set status = 'active' where id = $1");
      await keyed.hurry();
      await eventually('another try', async () => texting.double.requests.length > before);
      await pause(1500);
      // The text, and the description of the account, or only one of them.
      expect(texting.double.requests.length - before).to.be.at.most(2);
    } finally {
      await queue.resume();
    }
    await keyed.waitForStatus('needs_reauth');
    const [stream] = await keyed.run<{ waits: boolean }>(
      "select coalesce(next_at > now() + interval '1 h', false) as waits from sync_states where connection_id = $1 and stream = 'describe'",
    );
    expect(stream?.waits).to.equal(true);
    texting.double.acceptKey('live_key_to_refuse');
    await keyed.client.patch(pathOf(keyed), { credentials: { api_key: 'live_key_to_refuse' } });
    await keyed.waitForMessages([id], 'sent');
    expect(findTexts('+12125558001')).to.have.length(1);
  });

  it('credentials of a connection that stay refused wait for hours before the next try, and record no second status change', async () => {
    const account = await connect();
    texting.double.expireTokens();
    texting.double.loseRefreshTokens();
    const describeAgain = async () => {
      await account.run(
        "update sync_states set next_at = now() where connection_id = $1 and stream = 'describe'",
      );
      await account.hurry();
    };
    await eventually('it needs a sign-in', async () => {
      await describeAgain();
      return (await account.read()).status === 'needs_reauth';
    });
    const readChanges = async () =>
      (await account.client.get('/audit-log?action=connection.status_changed&limit=100')).body.data.count;
    const before = await readChanges();
    const refused = texting.double.refusedGrants;
    await describeAgain();
    await eventually('another refusal', () => texting.double.refusedGrants > refused);
    await eventually('it waits', async () => {
      const [row] = await account.run<{ waits: boolean }>(
        "select next_at > now() + interval '1 h' as waits from sync_states where connection_id = $1 and stream = 'describe'",
      );
      return row?.waits;
    });
    expect(await readChanges()).to.equal(before);
  });

  it('a connection writes nothing with new credentials that belong to another account of the vendor', async () => {
    const keyed = await (await texting.createAccount()).connectWithKey('live_key_of_ours');
    texting.double.acceptKey('live_key_of_others');
    texting.double.accounts.set('live_key_of_others', 'acct-of-others');
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    failWith('GET /account', { kind: 'hold', until });
    await keyed.client.patch(pathOf(keyed), { credentials: { api_key: 'live_key_of_others' } });
    const id = await keyed.sendText('+12125558002');
    await pause(300);
    release();
    await keyed.waitForStatus('needs_reauth');
    expect(findTexts('+12125558002')).to.have.length(0);
    await keyed.client.patch(pathOf(keyed), { credentials: { api_key: 'live_key_of_ours' } });
    await keyed.waitForMessages([id], 'sent');
    // Enter the same credentials again. The connection must verify them before it sends the next
    // text.
    await keyed.client.patch(pathOf(keyed), { credentials: { api_key: 'live_key_of_ours' } });
    const next = await keyed.sendText('+12125558003');
    await keyed.waitForMessages([next], 'sent');
  });

  it('credentials from a sign-in cannot be replaced by entered credentials', async () => {
    const account = await connect();
    for (const credentials of [{}, { api_key: 'live_key_of_nobody' }]) {
      const { status, body } = await account.client.patch(pathOf(account), { credentials });
      expect([status, body.error.details[0].field]).to.deep.equal([400, 'credentials']);
    }
    const id = await account.sendText('+12125558004');
    await account.waitForMessages([id], 'sent');
  });

  it('credentials of a connection are kept during an outage of the vendor until it has revoked the access', async () => {
    const account = await connect();
    texting.double.isRevoked = false;
    failWith('POST /oauth/revoke', { kind: 'status', status: 503 });
    await account.client.delete(pathOf(account));
    await eventually('a failed try', () => count('POST /oauth/revoke') > 0);
    await eventually('it waits', async () => {
      const [row] = await account.run(
        'select 1 from connection_secrets where connection_id = $1 and revoke_at > now()',
      );
      return row;
    });
    texting.double.misbehave = () => undefined;
    await account.run('update connection_secrets set revoke_at = now() where connection_id = $1');
    await eventually('the secrets are gone', async () => {
      const rows = await account.run('select 1 from connection_secrets where connection_id = $1');
      return rows.length === 0;
    });
    expect(texting.double.isRevoked).to.equal(true);
  });

  it('credentials of a connection are deleted with a notice if the vendor never revokes the access', async () => {
    const account = await connect();
    failWith('POST /oauth/revoke', { kind: 'limit', seconds: 1 });
    await account.run('update connection_secrets set revoke_attempts = 5 where connection_id = $1');
    await account.client.delete(pathOf(account));
    const notice = await eventually('a notice', async () => {
      const { body } = await account.client.get('/notices?kind=connection_not_revoked');
      return body.data.items[0];
    });
    expect(notice.entity_id).to.equal(account.connectionId);
    expect(await account.run('select 1 from connection_secrets where connection_id = $1')).to.have.length(0);
  });

  it('a write that waits for its next attempt fails when the connection is disconnected', async () => {
    const account = await connect();
    failWith('POST /texts', { kind: 'cut_before' });
    const id = await account.sendText('+12125558005');
    await eventually('it waits', async () => {
      const [operation] = await account.findOperations(id);
      return operation?.state === 'due' && operation.attempts === 1;
    });
    await account.run(
      "update outbound_operations set next_at = now() + interval '10 h' where connection_id = $1 and next_at is not null",
    );
    await account.client.delete(pathOf(account));
    await account.waitForMessages([id], 'failed', 8000);
    expect((await account.readMessage(id)).error).to.match(
      /^The connection was disconnected\. It may have left/,
    );
  });

  it('credentials of a connection need no new sign-in when the vendor refuses the application of this service', async () => {
    const account = await connect();
    texting.double.expireTokens();
    for (const [status, error] of [
      [401, 'invalid_client'],
      [400, 'unauthorized_client'],
      [403, 'blocked'],
    ] as const) {
      failWith('POST /oauth/token', { kind: 'status', status, body: { error } });
      const before = count('POST /oauth/token');
      await account.client.post(`${pathOf(account)}/test`);
      // Repeat `hurry`. The connection's previous step may store a pause after the first call,
      // which would undo the effect of that call.
      await eventually('it was refused', async () => {
        await account.hurry();
        return count('POST /oauth/token') > before;
      });
    }
    texting.double.misbehave = () => undefined;
    const id = await account.sendText('+12125558006');
    await eventually('the text is sent', async () => {
      await account.hurry();
      return (await account.readMessage(id)).state === 'sent';
    });
    expect((await account.client.get('/notices?kind=connection_needs_reauth')).body.data.count).to.equal(0);
    const [row] = await account.run<{ refusals: number }>(
      'select refusals from connection_secrets where connection_id = $1',
    );
    expect(row?.refusals).to.equal(0);
  });

  it('an access token is renewed after the Retry-After of a 429 from the token endpoint, which counts as no attempt', async () => {
    const account = await connect();
    texting.double.expireTokens();
    let refusedAt = 0;
    texting.double.misbehave = (name) => {
      if (name !== 'POST /oauth/token' || refusedAt > 0) return undefined;
      refusedAt = Date.now();
      return { kind: 'limit', seconds: 2 };
    };
    const id = await account.sendText('+12125558007');
    await eventually('a 429', () => refusedAt > 0);
    await account.waitForMessages([id], 'sent', 10_000);
    const [next] = texting.double.requests.filter(({ at }) => at > refusedAt + 5);
    expect(next?.at).to.be.above(refusedAt + 1990);
    expect((await account.findOperations(id))[0]?.attempts).to.equal(1);
  });

  it('a response of the token endpoint without a token replaces no credentials', async () => {
    const account = await connect();
    texting.double.expireTokens();
    failWith('POST /oauth/token', { kind: 'status', status: 200, body: { token_type: 'bearer' } });
    const id = await account.sendText('+12125558008');
    await eventually('an unusable response', () => count('POST /oauth/token') > 0);
    await eventually('it is counted', async () => (await account.read()).health.last_error !== null);
    texting.double.misbehave = () => undefined;
    await eventually('the text is sent', async () => {
      await account.hurry();
      return (await account.readMessage(id)).state === 'sent';
    });
  });

  it('an access token of a connection is renewed before it expires', async () => {
    texting.double.lifetimeSeconds = 200;
    const account = await connect();
    const before = texting.double.grants;
    texting.double.lifetimeSeconds = 3600;
    const id = await account.sendText('+12125558009');
    await account.waitForMessages([id], 'sent');
    expect(texting.double.grants).to.equal(before + 1);
  });

  it('a connection whose credentials never worked sends no texts', async () => {
    const account = await texting.createAccount();
    const { body } = await account.client.post('/connections', {
      vendor: 'parrot_keys',
      credentials: { api_key: 'a wrong key' },
      settings: { from_number: '+12125550100' },
    });
    account.connectionId = body.id;
    await account.waitForStatus('needs_reauth');
    await account.connectWithKey('live_key_that_works');
    const id = await account.sendText('+12125558010');
    await account.waitForMessages([id], 'sent');
    expect(findTexts('+12125558010')).to.have.length(1);
  });
});
