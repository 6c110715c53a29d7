import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { parseSigningSecret } from '../../../shared/events/signing.js';
import { createOutboundClient } from '../../../shared/outbound/client.js';
import type { EndpointConfig } from '../../../workers/webhooks/queue/endpoint-config.js';
import { type SendOptions, sendAttempt } from '../../../workers/webhooks/send/send-attempt.js';
import { eventually } from '../../support/poll.js';
import { buildDueDelivery, buildEndpointQueue } from '../../support/webhooks/endpoint-queues.js';
import { type ReceiverBehavior, StrictReceiver } from '../../support/webhooks/strict-receiver.js';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

/** Waits until the clock has passed this second of Unix time. */
async function nextSecond(seconds: number): Promise<void> {
  await eventually('the next second', () => Math.floor(Date.now() / 1000) > Math.floor(seconds));
}

describe('one attempt of a delivery', () => {
  const client = createOutboundClient({ allowLoopback: true, allowHttp: true });
  let receiver: StrictReceiver;
  before(async () => {
    receiver = await StrictReceiver.start();
  });
  after(async () => {
    await client.close();
    await receiver.stop();
  });

  const send = (
    secrets: [secret: string, expiresAtMs: number | null][],
    { url = receiver.endpoint.url, ...options }: Partial<SendOptions> & { url?: string } = {},
  ) => {
    const delivery = buildDueDelivery();
    const body = JSON.stringify({
      id: delivery.eventId,
      type: 'invoice.created',
      timestamp: new Date().toISOString(),
      data: {},
    });
    const config: EndpointConfig = {
      ...buildEndpointQueue().config,
      url,
      secrets: secrets.map(([secret, expiresAtMs]) => ({ secret: parseSigningSecret(secret), expiresAtMs })),
    };
    return sendAttempt({ ...delivery, body }, config, { client, deadlineMs: 3000, ...options });
  };

  it('a request is signed with the secrets that are valid at that moment', async () => {
    const [current, expiring, expired] = [newSecret(), newSecret(), newSecret()];
    receiver.endpoint.secrets = [current, expiring];
    const attempt = await send([
      [current, null],
      [expiring, Date.now() + 60_000],
      [expired, Date.now() - 1],
    ]);
    expect(attempt).to.include({ status: 200, errorClass: undefined });
    expect(receiver.problems).to.deep.equal([]);
  });

  it('webhook-timestamp is the time when the request is written, not when its attempt started', async () => {
    const secret = newSecret();
    receiver.endpoint.secrets = [secret];
    const { startedAt, requestHeaders } = await send([[secret, null]], {
      admit: () => nextSecond(Date.now() / 1000),
      deadlineMs: 20_000,
    });
    const sent = receiver.endpoint.requests.at(-1)?.headers ?? {};
    expect(Number(sent['webhook-timestamp'])).to.be.above(startedAt.getTime() / 1000);
    expect(sent).to.include(requestHeaders);
    expect(receiver.problems).to.deep.equal([]);
  });

  it('a request is repeated at most once, with a new signature, when a reused connection is reset', async () => {
    const secret = newSecret();
    const flaky = receiver.add({ secret });
    const own = createOutboundClient({ allowLoopback: true, allowHttp: true });
    const options = { client: own, url: flaky.url, deadlineMs: 20_000 };
    await Promise.all(Array.from({ length: 4 }, () => send([[secret, null]], options)));
    flaky.respond = async ({ headers }): Promise<ReceiverBehavior> => {
      await nextSecond(Number(headers['webhook-timestamp']));
      return 'reset';
    };
    expect(await send([[secret, null]], options)).to.include({ errorClass: 'reset' });
    const { requests } = flaky;
    expect(requests).to.have.length(6);
    const [first, second] = requests
      .slice(4)
      .map(({ id, headers }) => ({ id, at: headers['webhook-timestamp'] }));
    expect(second?.id).to.equal(first?.id);
    expect(Number(second?.at)).to.be.above(Number(first?.at));
    expect(receiver.problems).to.deep.equal([]);
    await own.close();
  });

  it('a request without a valid secret is not sent', async () => {
    const before = receiver.endpoint.requests.length;
    for (const secrets of [[], [[newSecret(), Date.now() - 1]]] as [string, number][][])
      expect(await send(secrets)).to.include({ status: undefined, errorClass: 'internal' });
    expect(receiver.endpoint.requests).to.have.length(before);
  });

  it("an invalid URL fails the attempt, and the recorded URL is '[not a URL]'", async () => {
    for (const url of ['http://999.999.999.999/', '', 'https://', 'nonsense'])
      expect(await send([[newSecret(), null]], { url })).to.include({
        status: undefined,
        errorClass: 'invalid_url',
        url: '[not a URL]',
      });
  });
});
