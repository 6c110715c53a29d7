import { expect } from 'chai';
import type { Json } from '../../../support/client.js';
import { eventually } from '../../../support/poll.js';
import { type TextingAccount, useTextingStack } from '../../../support/vendors/texting.js';

describe('the health of a connection', () => {
  const texting = useTextingStack();
  let account: TextingAccount;

  before(async () => {
    account = await (await texting.createAccount()).connect();
  });

  const readHealth = async (): Promise<Json> => (await account.read()).health;
  const waitForHealth = (what: string, matches: (health: Json) => boolean) =>
    eventually(what, async () => {
      const health = await readHealth();
      return matches(health) && health;
    });
  const toTime = (text: string | null) => Date.parse(text ?? '');

  it('each figure changes with what it describes', async () => {
    const fresh = await waitForHealth('the first reads', ({ last_success_at: at }) => at !== null);
    expect(fresh).to.include({ backlog: 0, oldest_due_at: null, last_webhook_at: null, error_rate: 0 });
    expect(toTime(fresh.token_expires_at)).to.be.above(Date.now());

    await account.postWebhook([{ id: 'health-1' }]);
    const reported = await waitForHealth('the webhook', ({ last_webhook_at: at }) => at !== null);
    expect(toTime(reported.last_webhook_at)).to.be.within(Date.now() - 60_000, Date.now() + 1000);

    texting.double.misbehave = () => ({ kind: 'status', status: 500 });
    const first = await account.sendText();
    const second = await account.sendText();
    const failing = await waitForHealth('a failed call', ({ error_rate: rate }) => rate > 0);
    expect(failing.error_rate).to.be.within(0.001, 1);
    expect(failing.backlog).to.equal(2);
    const created = (await account.listOperations())
      .filter(({ record_id }) => [first, second].includes(record_id))
      .map(({ created_at }) => created_at)
      .sort();
    expect(failing.oldest_due_at).to.equal(created[0]);
    expect(failing.last_error).to.be.a('string');

    texting.double.misbehave = () => undefined;
    texting.double.lifetimeSeconds = 7200;
    texting.double.expireTokens();
    await eventually('both texts are sent', async () => {
      await account.hurry();
      const messages = await Promise.all([first, second].map((id) => account.readMessage(id)));
      return messages.every(({ state }) => state === 'sent');
    });
    const working = await waitForHealth('no backlog', ({ backlog }) => backlog === 0);
    expect(working.oldest_due_at).to.equal(null);
    expect(toTime(working.last_success_at)).to.be.above(toTime(failing.last_success_at));
    expect(working.error_rate).to.be.above(0).and.to.be.below(1);
    expect(toTime(working.token_expires_at)).to.be.above(toTime(fresh.token_expires_at) + 3_000_000);
    texting.double.lifetimeSeconds = 3600;
  });
});
