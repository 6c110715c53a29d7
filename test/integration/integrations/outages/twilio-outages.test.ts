/**
 * Twilio is down for an hour, refuses every call with 429, or has another time than we. Afterwards
 * no text is lost, none was sent twice, and both sides count the same segments.
 */
import { expect } from 'chai';
import { countSegments } from '../../../../shared/resources/planned-messages/segments.js';
import { eventually } from '../../../support/poll.js';
import type { Fault } from '../../../support/vendors/contracts/fault.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { passMinutes } from '../../../support/vendors/outages/pass-minutes.js';
import { RefusalStorm } from '../../../support/vendors/outages/refusal-storm.js';
import { type PhoningAccount, usePhoningStack } from '../../../support/vendors/phoning.js';

const OUTAGE: readonly Fault[] = [
  { kind: 'status', status: 503 },
  { kind: 'cut_before' },
  // Twilio has sent the text, but the answer is lost.
  { kind: 'cut_after' },
];
/** The attempts of a write. */
const MAX_ATTEMPTS = 10;

describe('Twilio that is down, refuses calls, or has another time', function () {
  this.timeout(120_000);
  requireContracts();
  const phoning = usePhoningStack();
  let account: PhoningAccount;

  beforeEach(async () => {
    account = await phoning.createAccount();
  });

  const readStatus = async () =>
    (await account.client.get(`/connections/${account.connectionId}`)).body.status;
  async function sendTexts(count: number) {
    const texts: { phone: string; id: string }[] = [];
    for (let sent = 0; sent < count; sent++) texts.push(await account.sendText());
    return texts;
  }
  async function listStates(texts: readonly { id: string }[]): Promise<string[]> {
    const messages = await Promise.all(texts.map(({ id }) => account.readMessage(id)));
    return messages.map(({ state }) => state);
  }
  /** Lets time pass until all texts are sent. */
  async function finish(texts: readonly { id: string }[], minutes: number): Promise<void> {
    phoning.double.misbehave = () => undefined;
    await eventually('all texts are sent', async () => {
      await passMinutes(account, minutes);
      return (await listStates(texts)).every((state) => state === 'sent');
    });
  }
  async function expectSameTexts(texts: readonly { phone: string; id: string }[]): Promise<void> {
    for (const { phone, id } of texts) {
      const found = phoning.double.findTexts(phone);
      expect(found, `texts to ${phone}`).to.have.length(1);
      const message = await account.readMessage(id);
      expect(message.segments).to.equal(countSegments(found[0]?.body ?? ''));
    }
    const { body } = await account.client.get('/sync-issues');
    expect(body.data.items).to.deep.equal([]);
  }

  it('Twilio is down for an hour: each text leaves once afterwards, and texts from customers are stored', async () => {
    let calls = 0;
    phoning.double.misbehave = () => OUTAGE[calls++ % OUTAGE.length];
    const texts = await sendTexts(4);
    await account.receive('+15185550170', 'Are you on your way?');
    for (let minutes = 0; minutes < 60; minutes += 10) await passMinutes(account, 10);
    expect(await readStatus()).to.equal('failing');
    expect(calls).to.be.above(OUTAGE.length);
    expect(await listStates(texts)).to.include('queued');
    expect(await account.listInbound('+15185550170')).to.have.length(1);

    await finish(texts, 10);
    await eventually('the connection works', async () => (await readStatus()) === 'active');
    await expectSameTexts(texts);
  });

  it('Twilio refuses every call with 429 for longer than a text has attempts: each text leaves once', async () => {
    let refusals = 0;
    phoning.double.misbehave = (name) => {
      if (name === 'POST Messages.json') refusals += 1;
      return { kind: 'limit', seconds: 50 };
    };
    const texts = await sendTexts(1);
    while (refusals <= MAX_ATTEMPTS) await passMinutes(account, 1);
    expect(await listStates(texts)).to.deep.equal(['queued']);
    expect(await readStatus()).to.equal('active');
    await finish(texts, 1);
    await expectSameTexts(texts);
  });

  it('Twilio refuses every call with 429 for a while: no call comes before Retry-After, and each of many texts leaves once', async () => {
    const storm = new RefusalStorm(phoning.double, account.authorization, [1, 2, 1, 1, 2]);
    const texts = await sendTexts(12);
    await Promise.all(texts.map(({ id }) => account.waitForState(id, 'sent')));
    storm.expectObeyed();
    await expectSameTexts(texts);
    const order = phoning.double.messages.map(({ to }) => to);
    for (const { phone } of texts) expect(order.filter((to) => to === phone)).to.have.length(1);
  });

  for (const skewSeconds of [-55, 55])
    it(`Twilio's clock differs by ${skewSeconds} s: a text with a lost answer is found, and not sent twice`, async () => {
      account.twilio.skewSeconds = skewSeconds;
      let isCut = false;
      phoning.double.misbehave = (name) => {
        if (isCut || name !== 'POST Messages.json') return undefined;
        isCut = true;
        return { kind: 'cut_after' };
      };
      const texts = await sendTexts(1);
      await eventually('the answer is lost', () => isCut);
      await finish(texts, 10);
      await expectSameTexts(texts);
    });

  it("Twilio's clock differs by hours: its requests are accepted, because its signature has no time", async () => {
    account.twilio.skewSeconds = -7200;
    const [text] = await sendTexts(1);
    await account.waitForState(text?.id ?? '', 'sent');
    const [sent] = phoning.double.findTexts(text?.phone ?? '');
    const { origin } = account.stack;
    await phoning.double.report(sent as never, 'undelivered', { origin, errorCode: 30_003 });
    await account.waitForState(text?.id ?? '', 'failed');
  });
});
