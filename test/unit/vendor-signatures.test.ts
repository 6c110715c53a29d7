import { expect } from 'chai';
import fc from 'fast-check';
import Stripe from 'stripe';
import twilioSdk from 'twilio';
import {
  inbound as motiveInbound,
  verifyMotiveSignature,
} from '../../shared/integrations/motive/api/inbound.js';
import { verifySamsaraSignature } from '../../shared/integrations/samsara/api/inbound.js';
import { verifyStripeSignature } from '../../shared/integrations/stripe/api/inbound.js';
import { verifyTwilioSignature } from '../../shared/integrations/twilio/signature.js';
import { signMotiveWebhook } from '../support/vendors/doubles/motive/webhook-sender.js';
import { signSamsaraWebhook } from '../support/vendors/doubles/samsara/webhook-sender.js';
import { signWebhook } from '../support/vendors/doubles/stripe/webhook-sender.js';
import { signForm } from '../support/vendors/doubles/twilio/twilio-account.js';

describe('signatures of vendors', () => {
  const body = Buffer.from('{\n  "id": "evt_test_webhook",\n  "object": "event"\n}');
  const header = 't=1614265330,v1=af4ead0627a34a8cca29808e8de9ada8e41a92e6237c63cef6eacf51d36cca34';
  const secret = 'whsec_test_secret';
  const at = 1_614_265_330_000;

  it("Stripe's published vector passes, and a changed body, secret or time does not", () => {
    expect(verifyStripeSignature({ header, body, secret }, at)).to.equal(true);
    expect(verifyStripeSignature({ header, body: Buffer.from('{}'), secret }, at)).to.equal(false);
    expect(verifyStripeSignature({ header, body, secret: 'whsec_other' }, at)).to.equal(false);
    expect(verifyStripeSignature({ header, body, secret }, at + 301_000)).to.equal(false);
    expect(verifyStripeSignature({ header, body, secret }, at - 301_000)).to.equal(false);
  });

  it('one of several signatures is enough while a secret is rolled, and other schemes do not count', () => {
    const [time, good] = header.split(',');
    expect(verifyStripeSignature({ header: `${time},v1=00,${good}`, body, secret }, at)).to.equal(true);
    expect(verifyStripeSignature({ header: header.replace('v1=', 'v0='), body, secret }, at)).to.equal(false);
    for (const bad of [undefined, '', 't=', 't=x,v1=00', 'v1=af4e', `t=1614265330`])
      expect(verifyStripeSignature({ header: bad, body, secret }, at), String(bad)).to.equal(false);
  });

  it("the official SDK accepts the webhooks of Stripe's double", () => {
    const text = JSON.stringify({ id: 'evt_1', object: 'event', type: 'charge.succeeded' });
    const event = new Stripe('sk_test_1').webhooks.constructEvent(text, signWebhook(text, secret), secret);
    expect(event.id).to.equal('evt_1');
  });

  const twilioUrl = 'https://mycompany.com/myapp.php?foo=1&bar=2';
  const form = {
    CallSid: 'CA1234567890ABCDE',
    Caller: '+14158675309',
    Digits: '1234',
    From: '+14158675309',
    To: '+18005551212',
  };
  const verifyForm = (url: string, fields: Record<string, string>, signature: string) =>
    verifyTwilioSignature(
      {
        url,
        body: Buffer.from(new URLSearchParams(fields).toString()),
        headers: { 'x-twilio-signature': signature },
      },
      '12345',
    );

  it("Twilio's published vector of a form passes, and a changed field or address does not", () => {
    const signature = 'RSOYDt4T1cUTdK1PDd93/VVr8B8=';
    expect(verifyForm(twilioUrl, form, signature)).to.equal(true);
    expect(verifyForm(twilioUrl, { ...form, Digits: '1235' }, signature)).to.equal(false);
    expect(verifyForm(`${twilioUrl}&x=1`, form, signature)).to.equal(false);
  });

  it("Twilio's published vector of a JSON body passes, and another body does not", () => {
    const url = `${twilioUrl}&bodySHA256=0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620`;
    const headers = { 'x-twilio-signature': 'a9nBmqA0ju/hNViExpshrM61xv4=' };
    const json = Buffer.from('{"property": "value", "boolean": true}');
    expect(verifyTwilioSignature({ url, body: json, headers }, '12345')).to.equal(true);
    expect(verifyTwilioSignature({ url, body: Buffer.from('{}'), headers }, '12345')).to.equal(false);
  });

  it('Twilio may sign the address with its port or without it', () => {
    const withPort = 'https://mycompany.com:443/myapp.php?foo=1&bar=2';
    expect(verifyForm(twilioUrl, form, signForm(withPort, form, '12345'))).to.equal(true);
    const other = 'https://mycompany.com:8443/myapp.php';
    const bare = 'https://mycompany.com/myapp.php';
    expect(verifyForm(other, form, signForm(bare, form, '12345'))).to.equal(true);
  });

  it('any form that the official SDK accepts is accepted, and one that it refuses is not', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 20 });
    const name = fc.stringMatching(/^[A-Za-z]{1,12}$/);
    fc.assert(
      fc.property(fc.dictionary(name, text, { noNullPrototype: true }), text, (fields, change) => {
        const signature = signForm(twilioUrl, fields, '12345');
        expect(twilioSdk.validateRequest('12345', signature, twilioUrl, fields)).to.equal(true);
        expect(verifyForm(twilioUrl, fields, signature)).to.equal(true);
        const changed = { ...fields, Body: `${fields.Body ?? ''}${change}x` };
        expect(verifyForm(twilioUrl, changed, signature)).to.equal(false);
      }),
    );
  });

  it("Samsara's published vector passes, and a changed body, secret, scheme or time does not", () => {
    const webhook = {
      signature: 'v1=e05d9d1f326a1f8a845d2520d09d45c6b20c1931828bbd1dd3858446e7ae7082',
      timestamp: '1700000000',
      body: Buffer.from('test-body'),
      secret: 'dGVzdC1zZWNyZXQ=',
    };
    const now = 1_700_000_000_000;
    expect(verifySamsaraSignature(webhook, now)).to.equal(true);
    expect(signSamsaraWebhook('test-body', webhook.secret, 1_700_000_000)).to.deep.equal({
      'x-samsara-timestamp': webhook.timestamp,
      'x-samsara-signature': webhook.signature,
    });
    for (const change of [
      { body: Buffer.from('test-bodY') },
      { secret: 'test-secret' },
      { signature: webhook.signature.replace('v1', 'v2') },
      { signature: webhook.signature.slice(3) },
      { signature: undefined },
      { signature: `${webhook.signature}00` },
      { timestamp: '1700000001' },
      { timestamp: undefined },
      { timestamp: '1e9' },
    ])
      expect(verifySamsaraSignature({ ...webhook, ...change }, now), JSON.stringify(change)).to.equal(false);
    expect(verifySamsaraSignature(webhook, now + 301_000)).to.equal(false);
    expect(verifySamsaraSignature(webhook, now - 301_000)).to.equal(false);
  });

  it("Motive's published vector passes, and a changed body, secret or signature does not", () => {
    const webhook = {
      signature: 'f04a8386a21a6cba0447024e83b3f0983352bb72',
      body: Buffer.from('["fault_code_closed"]'),
      secret: 'd9d36bea41c44ae49d1bfc4a48ba2abe',
    };
    expect(verifyMotiveSignature(webhook)).to.equal(true);
    expect(signMotiveWebhook('["fault_code_closed"]', webhook.secret)).to.deep.equal({
      'x-kt-webhook-signature': webhook.signature,
    });
    const headers = { 'x-kt-webhook-signature': webhook.signature };
    const request = { body: webhook.body, headers, url: '' };
    expect(motiveInbound.verify(request, webhook.secret)).to.equal(true);
    expect(motiveInbound.split(webhook.body)).to.deep.equal([]);
    for (const change of [
      { body: Buffer.from('["fault_code_closeD"]') },
      { body: Buffer.from('["fault_code_closed"] ') },
      // The page's own example calls openssl with the signature as the key.
      { secret: webhook.signature },
      { signature: webhook.signature.slice(0, -1) },
      { signature: `${webhook.signature}00` },
      { signature: [webhook.signature, webhook.signature] },
      { signature: '' },
      { signature: undefined },
    ])
      expect(verifyMotiveSignature({ ...webhook, ...change }), JSON.stringify(change)).to.equal(false);
  });
});
