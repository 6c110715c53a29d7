import { expect } from 'chai';
import { eventually } from '../../support/poll.js';
import type { SentText } from '../../support/vendors/parrot-double.js';
import { type TextingAccount, TextingStack } from '../../support/vendors/texting.js';

describe('a pull from a vendor', () => {
  let texting: TextingStack;
  let account: TextingAccount;

  before(async () => {
    texting = await TextingStack.start();
    account = await (await texting.createAccount()).connect();
  });
  after(() => texting.stop());
  afterEach(() => {
    texting.double.misbehave = () => undefined;
    expect(texting.double.violations).to.deep.equal([]);
  });

  const synchronize = (body: object = {}) =>
    account.client.post(`/connections/${account.connectionId}/sync`, body);
  const countPulls = (part = '') =>
    texting.double.requests.filter(({ name, query }) => name === 'GET /texts' && query.includes(part)).length;
  /** Sends a text, and returns its message with the text that the vendor sent. */
  const send = async (phone: string): Promise<{ id: string; text: SentText }> => {
    const id = await account.sendText(phone);
    await account.waitForMessages([id], 'sent');
    return { id, text: texting.double.texts.find(({ to }) => to === phone) as SentText };
  };
  /** Holds the next page after the vendor has read it, and returns a function that releases it. */
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

  it('is repeated at once if a webhook arrives after the vendor has read the page', async () => {
    const { id, text } = await send('+12125556001');
    const release = await holdNextPage();
    texting.double.settle(text, 'failed', 'The phone is switched off.');
    expect((await account.postWebhook([{ id: 'during a pull' }])).status).to.equal(200);
    release();
    await account.waitForMessages([id], 'failed', 5000);
  });

  it('does not swallow a request to read again since a time that arrives during it', async () => {
    const release = await holdNextPage();
    const before = countPulls('since=');
    expect((await synchronize({ since: '2026-02-03T00:00:00Z' })).status).to.equal(200);
    expect((await synchronize({ since: '2026-03-03T00:00:00Z' })).status).to.equal(200);
    release();
    await eventually('it is read again', () => countPulls('since=') > before, 5000);
    expect(countPulls('since=2026-02-03'), 'the earlier of both times counts').to.equal(1);
  });
});
