import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { parseSecret } from '../../shared/events/signing.js';
import { createOutboundClient } from '../../shared/platform/outbound/client.js';
import type { EndpointConfig } from '../../workers/webhooks/endpoint-config.js';
import { sendAttempt } from '../../workers/webhooks/send.js';
import { StrictReceiver } from '../support/strict-receiver.js';
import { dueDelivery, newLane } from '../support/webhook-lanes.js';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

describe('one request of a delivery', () => {
  const client = createOutboundClient({ allowLoopback: true, allowHttp: true });
  let receiver: StrictReceiver;
  before(async () => {
    receiver = await StrictReceiver.start();
  });
  after(async () => {
    await client.close();
    await receiver.stop();
  });

  const send = (secrets: [secret: string, expiresAtMs: number | null][], url = receiver.endpoint.url) => {
    const delivery = dueDelivery();
    const body = JSON.stringify({
      ...{ id: delivery.eventId, type: 'invoice.created', timestamp: new Date().toISOString(), data: {} },
    });
    const config: EndpointConfig = {
      ...newLane().config,
      url,
      secrets: secrets.map(([secret, expiresAtMs]) => ({ secret: parseSecret(secret), expiresAtMs })),
    };
    return sendAttempt({ ...delivery, body }, config, { client, deadlineMs: 3000 });
  };

  it('is signed with the secrets that hold at that moment', async () => {
    const [current, ending, ended] = [newSecret(), newSecret(), newSecret()];
    receiver.endpoint.secrets = [current, ending];
    const attempt = await send([
      [current, null],
      [ending, Date.now() + 60_000],
      [ended, Date.now() - 1],
    ]);
    expect(attempt).to.include({ status: 200, errorClass: undefined });
    expect(receiver.faults).to.deep.equal([]);
  });

  it('does not leave without a signature', async () => {
    const before = receiver.endpoint.requests.length;
    for (const secrets of [[], [[newSecret(), Date.now() - 1]]] as [string, number][][])
      expect(await send(secrets)).to.include({ status: undefined, errorClass: 'internal' });
    expect(receiver.endpoint.requests).to.have.length(before);
  });

  it('fails when its address is none, and is logged like any other', async () => {
    for (const url of ['http://999.999.999.999/', '', 'https://', 'nonsense'])
      expect(await send([[newSecret(), null]], url)).to.include({
        ...{ status: undefined, errorClass: 'invalid_url', url: '[not a URL]' },
      });
  });
});
