import { expect } from 'chai';
import { eventually } from '../../support/poll.js';
import { type TextingAccount, useTextingStack } from '../../support/vendors/texting.js';

describe('many texts of one account', () => {
  const texting = useTextingStack();
  let account: TextingAccount;

  beforeEach(async () => {
    account = await (await texting.createAccount()).connect();
  });

  /** Writes texts while the connection is paused, so that all of them are due at once. */
  async function sendTogether(phones: readonly string[]): Promise<string[]> {
    const path = `/connections/${account.connectionId}`;
    await account.client.post(`${path}/pause`);
    await account.waitForStatus('paused');
    const ids = await Promise.all(phones.map((phone) => account.sendText(phone)));
    texting.double.requests.length = 0;
    await account.client.post(`${path}/resume`);
    return ids;
  }
  const createPhones = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, nth) => `${prefix}${String(nth).padStart(2, '0')}`);
  const countTexts = (phone: string) => texting.double.texts.filter(({ to }) => to === phone).length;
  const listSends = () =>
    texting.double.requests.filter(({ name }) => name === 'POST /texts').map(({ at }) => at);

  /**
   * Holds the responses to texts until as many are open as the next step sends.
   * @returns the number of texts of each step so far
   */
  function holdSteps(expected: readonly number[]): number[] {
    const sizes: number[] = [];
    let waiting: (() => void)[] = [];
    const endStep = () => {
      const texts = waiting;
      waiting = [];
      sizes.push(texts.length);
      for (const respond of texts) respond();
    };
    texting.double.misbehave = (name) => {
      if (name !== 'POST /texts') return undefined;
      const until = new Promise<void>((resolve) => waiting.push(resolve));
      // A step that sends too many has sent all of them a little later.
      if (waiting.length === expected[sizes.length]) setTimeout(endStep, 100);
      return { kind: 'hold', until };
    };
    return sizes;
  }

  it('leave together, twice as many with each step that succeeds, and each of them once', async () => {
    const steps = [1, 2, 4, 8, 16, 9];
    const sizes = holdSteps(steps);
    const phones = createPhones('+121255540', 40);
    const ids = await sendTogether(phones);
    await account.waitForMessages(ids, 'sent');
    expect(sizes).to.deep.equal(steps);
    for (const phone of phones) expect(countTexts(phone), phone).to.equal(1);
    const calls = await account.run(
      "select 1 from connection_calls where connection_id = $1 and method = 'POST' and path = '/texts'",
    );
    expect(calls, 'the call log').to.have.length(40);
  });

  it('the first ones of a step leave while a later one waits for its row', async () => {
    const phones = createPhones('+121255544', 15);
    const count = () => phones.reduce((sum, phone) => sum + countTexts(phone), 0);
    const countLockWaits = async () =>
      (await account.stack.rows(account.tenant.id, 'select 1 from pg_locks where not granted')).length;
    const path = `/connections/${account.connectionId}`;
    await account.client.post(`${path}/pause`);
    await account.waitForStatus('paused');
    const ids: string[] = [];
    for (const phone of phones) ids.push(await account.sendText(phone));
    await account.stack.runtime.db.transaction([account.tenant.id], async (tx) => {
      const text = 'select from messages where tenant_id = $1 and id = $2 for update';
      await tx.query({ text, values: [account.tenant.id, ids.at(-1)] });
      await account.client.post(`${path}/resume`);
      // The steps write 1, 2, 4 and 8 texts. The last text of the last step waits for the lock.
      await eventually('the last text waits', async () => (await countLockWaits()) > 0);
      await eventually('other texts of its step have left', async () => count() > 7);
      expect(await countLockWaits(), 'the last text still waits').to.be.above(0);
    });
    await account.waitForMessages(ids, 'sent');
    for (const phone of phones) expect(countTexts(phone), phone).to.equal(1);
  });

  it('one that the vendor refuses becomes an issue, and all others are sent once', async () => {
    let requests = 0;
    texting.double.misbehave = (name) => {
      if (name !== 'POST /texts') return undefined;
      requests += 1;
      return requests === 6 ? { kind: 'status', status: 422, body: { error: 'bad_number' } } : undefined;
    };
    const phones = createPhones('+121255541', 20);
    const ids = await sendTogether(phones);
    await eventually('all texts have left or failed', async () => {
      const operations = await account.listOperations();
      return ids.every((id) =>
        operations.some(({ record_id, state }) => record_id === id && (state === 'done' || state === 'dead')),
      );
    });
    expect(phones.map(countTexts).sort()).to.deep.equal([0, ...Array.from({ length: 19 }, () => 1)]);
    const issues = await account.client.get('/sync-issues?status=open');
    expect(issues.body.data.items.map(({ kind }: { kind: string }) => kind)).to.deep.equal(['refused']);
    expect((await account.read()).status).to.equal('active');
  });

  it('a 429 to one of them postpones that one alone, sends nothing before Retry-After, and loses no text', async () => {
    let requests = 0;
    let refusedAt = 0;
    texting.double.misbehave = (name) => {
      if (name !== 'POST /texts') return undefined;
      requests += 1;
      if (requests !== 10) return undefined;
      refusedAt = Date.now();
      return { kind: 'limit', seconds: 2 };
    };
    const phones = createPhones('+121255542', 30);
    const ids = await sendTogether(phones);
    await account.waitForMessages(ids, 'sent', 30_000);
    for (const phone of phones) expect(countTexts(phone), phone).to.equal(1);
    // Requests that were open when the vendor refused one of them do not count.
    const later = listSends().filter((at) => at > refusedAt + 500);
    expect(Math.min(...later)).to.be.above(refusedAt + 1990);
    for (const { attempts } of await account.listOperations()) expect(attempts).to.equal(1);
  });

  it('an answer that is lost repeats that text under its key, so that nobody gets it twice', async () => {
    let requests = 0;
    texting.double.misbehave = (name) => {
      if (name !== 'POST /texts') return undefined;
      requests += 1;
      return requests === 7 ? { kind: 'cut_after' } : undefined;
    };
    const phones = createPhones('+121255543', 20);
    const ids = await sendTogether(phones);
    await eventually('all texts are sent', async () => {
      await account.hurry();
      return (await account.listOperations()).filter(({ state }) => state === 'done').length === ids.length;
    });
    for (const phone of phones) expect(countTexts(phone), phone).to.equal(1);
  });
});
