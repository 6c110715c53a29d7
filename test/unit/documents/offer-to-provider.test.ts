import { expect } from 'chai';
import type { OutgoingMessage } from '../../../shared/integrations/contract/messaging.js';
import { createLogger } from '../../../shared/platform/logger.js';
import {
  getRetryWait,
  MESSAGE_LEASE_SECONDS,
  offerToProvider,
} from '../../../workers/messages/offer-to-provider.js';

describe('offering a mail to its provider', () => {
  const message = { id: 'm' } as OutgoingMessage;
  const logger = createLogger({ level: 'silent', name: 'test' } as never);

  it('a preparation ends 45 s after the lease was requested, with 120 s of the 180 s lease left for sending', async () => {
    let sent = 0;
    const send = async () => {
      sent += 1;
    };
    let finish: (prepared: OutgoingMessage) => void = () => undefined;
    const prepare = () =>
      new Promise<OutgoingMessage>((resolve) => {
        finish = resolve;
      });
    const requestedAtMs = performance.now() - 44_900;
    const offer = { id: 'm', provider: 'smtp', attempts: 1, leaseRequestedAt: requestedAtMs, prepare };
    const result = await offerToProvider(offer, { providers: () => ({ send }), logger });
    expect(performance.now() - requestedAtMs).to.be.within(
      45_000 - 5,
      (MESSAGE_LEASE_SECONDS - 120 - 10) * 1000,
    );
    expect(result).to.include({ outcome: 'unready' });
    finish(message);
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent, 'prepared too late').to.equal(0);
    expect(getRetryWait(result, 1)).to.deep.equal({ seconds: 60, wasOffered: false });
  });

  it('a mail that is prepared in time is offered and accepted', async () => {
    const sent: OutgoingMessage[] = [];
    const send = async (one: OutgoingMessage) => void sent.push(one);
    const offer = { id: 'm', provider: 'smtp', attempts: 1, leaseRequestedAt: performance.now() };
    const result = await offerToProvider(
      { ...offer, prepare: () => message },
      { providers: () => ({ send }), logger },
    );
    expect(result).to.deep.equal({ outcome: 'accepted' });
    expect(sent).to.deep.equal([message]);
  });

  it('a mail whose provider only a newer version knows waits, and that is no attempt', async () => {
    const offer = { id: 'm', provider: 'pigeon', attempts: 5, leaseRequestedAt: performance.now() };
    const result = await offerToProvider(
      { ...offer, prepare: () => message },
      { providers: () => undefined, logger },
    );
    expect(result).to.include({ outcome: 'unready' });
    expect(getRetryWait(result, 5)).to.deep.equal({ seconds: 60, wasOffered: false });
  });
});
