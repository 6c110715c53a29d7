import { expect } from 'chai';
import fc from 'fast-check';
import { eventually } from '../../support/poll.js';
import type { Fault } from '../../support/vendors/contracts/fault.js';
import { type TextingAccount, useTextingStack } from '../../support/vendors/texting.js';

const FAULTS: readonly Fault[] = [
  { kind: 'limit', seconds: 1 },
  { kind: 'status', status: 500 },
  { kind: 'status', status: 503 },
  { kind: 'cut_before' },
  { kind: 'cut_after' },
];

/**
 * Generates the steps of a run: actions of the account, the phone network, the vendor and the
 * vendor's webhooks.
 */
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constant('send' as const) },
    fc.constantFrom('deliver' as const, 'fail' as const, 'webhook' as const),
    fc.constantFrom('expire' as const, 'hurry' as const, 'pause' as const),
  ),
  { minLength: 12, maxLength: 20 },
);
const faults = fc.array(fc.option(fc.constantFrom(...FAULTS), { freq: 2 }), { minLength: 30, maxLength: 60 });

describe('texts against a vendor that misbehaves at random', () => {
  const texting = useTextingStack();

  it("a connection loses no text, sends none twice, and ends with the vendor's states", async () => {
    await fc.assert(
      fc.asyncProperty(steps, faults, async (run, misbehaviour) => {
        const account = await (await texting.createAccount()).connect();
        const planned = [...misbehaviour];
        // The token endpoint never misbehaves here. If its response were lost, the account would
        // have to sign in again, and another test covers that case.
        texting.double.misbehave = (name) =>
          name.endsWith('/texts') ? (planned.shift() ?? undefined) : undefined;
        const firstText = texting.double.texts.length;
        const ids: string[] = [];
        for (const [index, step] of run.entries()) await act(account, { step, index, ids, firstText });
        texting.double.misbehave = () => undefined;
        await account.client.post(`/connections/${account.connectionId}/resume`);
        await settle(account, ids, firstText);
        expect(texting.double.violations).to.deep.equal([]);
      }),
      { numRuns: 4, seed: 20261123, endOnFailure: true },
    );
  });

  interface Act {
    step: string;
    index: number;
    ids: string[];
    firstText: number;
  }

  async function act(account: TextingAccount, { step, index, ids, firstText }: Act): Promise<void> {
    const { double } = texting;
    const open = double.texts.slice(firstText).filter(({ status }) => status === 'queued');
    if (step === 'send') ids.push(await account.sendText());
    else if (step === 'deliver' && open[0]) double.settle(open[0], 'delivered');
    else if (step === 'fail' && open[0]) double.settle(open[0], 'failed', 'The phone is off.');
    else if (step === 'webhook') {
      const events = [{ id: `w-${index}` }, { id: `w-${Math.floor(index / 2)}` }];
      await Promise.all([account.postWebhook(events), account.postWebhook(events)]);
    } else if (step === 'expire') double.expireTokens();
    else if (step === 'hurry') await account.hurry();
    else if (step === 'pause') {
      await account.client.post(`/connections/${account.connectionId}/pause`);
      await account.client.post(`/connections/${account.connectionId}/resume`);
    }
  }

  async function settle(account: TextingAccount, ids: string[], firstText: number): Promise<void> {
    const sent = () => texting.double.texts.slice(firstText);
    await eventually(
      'every message has the state of its text',
      async () => {
        await account.hurry();
        const messages = await Promise.all(ids.map((id) => account.readMessage(id)));
        return messages.every(({ recipient, state }) => {
          const [text] = sent().filter(({ to }) => to === recipient);
          return text && state === (text.status === 'failed' ? 'failed' : 'sent');
        });
      },
      30_000,
    );
    expect(sent().map(({ to }) => to)).to.have.length(ids.length);
    expect(new Set(sent().map(({ key }) => key)).size).to.equal(ids.length);
  }
});
