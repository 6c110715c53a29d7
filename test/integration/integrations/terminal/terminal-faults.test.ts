import { expect } from 'chai';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { presentCard } from '../../../support/vendors/doubles/stripe/readers.js';
import { usePayingStack } from '../../../support/vendors/paying.js';
import { TerminalAccount } from '../../../support/vendors/terminal-account.js';

/** The calls during a payment on a reader, by their purpose. */
const CALLS = {
  'creates the payment': /^POST \/v1\/payment_intents$/,
  'shows it on the reader': /process_payment_intent$/,
  'clears the reader': /cancel_action$/,
  'cancels the payment': /^POST \/v1\/payment_intents\/\w+\/cancel$/,
};
const FAULTS = ['cut_before', 'cut_after'] as const;

describe('payments on card readers whose vendor breaks off', () => {
  requireContracts();
  const paying = usePayingStack();
  let desk: TerminalAccount;

  before(async () => {
    desk = await TerminalAccount.open(paying);
  });
  afterEach(() => {
    paying.double.misbehave = () => undefined;
    desk.device.action = null;
  });

  /**
   * Cuts the connection of the next call that matches. Returns a function that returns true once
   * the connection has been cut.
   */
  function breakOff(pattern: RegExp, kind: (typeof FAULTS)[number]): () => boolean {
    let hasBroken = false;
    paying.double.misbehave = (name) => {
      if (hasBroken || !pattern.test(name)) return undefined;
      hasBroken = true;
      return { kind };
    };
    return () => hasBroken;
  }

  function countIntents(id: string): number {
    const all = desk.account.vendor.list('payment_intent');
    return all.filter(({ metadata }) => Reflect.get(Object(metadata), 'terminal_payment_id') === id).length;
  }

  for (const kind of FAULTS)
    for (const [name, pattern] of Object.entries(CALLS)) {
      it(`${kind} the call that ${name}: one payment at the vendor, which a person cancels`, async () => {
        const hasBroken = breakOff(pattern, kind);
        const { id } = await desk.start(await desk.createInvoice());
        await desk.hurryUntilShown();
        await desk.client.post(`/terminal-payments/${id}/cancel`, {});
        await desk.hurryUntil(id, 'cancelled');
        expect(hasBroken()).to.equal(true);
        expect(countIntents(id)).to.equal(1);
        expect(desk.findIntent(id).status).to.equal('canceled');
        expect(desk.device.action).to.equal(null);
      });
    }

  for (const kind of FAULTS)
    it(`${kind} the call that shows it: a card is charged once`, async () => {
      breakOff(CALLS['shows it on the reader'], kind);
      const invoiceId = await desk.createInvoice(2500);
      const { id } = await desk.start(invoiceId);
      await desk.hurryUntilShown();
      presentCard(desk.account.vendor, desk.device);
      await desk.hurryUntil(id, 'succeeded');
      expect(countIntents(id)).to.equal(1);
      expect(await desk.account.listPayments(invoiceId)).to.have.length(1);
    });

  it('a payment whose start never arrived is cancelled without asking for a card', async () => {
    paying.double.misbehave = (name) =>
      CALLS['creates the payment'].test(name) ? { kind: 'cut_before' } : undefined;
    const { id } = await desk.start(await desk.createInvoice());
    await desk.letExpire(id);
    await desk.account.hurry([]);
    paying.double.misbehave = () => undefined;
    await desk.hurryUntil(id, 'cancelled');
    expect(desk.device.action).to.equal(null);
  });
});
