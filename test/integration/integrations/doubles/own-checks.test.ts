/**
 * The doubles of Stripe and Twilio check what they send themselves: error responses and webhooks.
 * Without these checks, the product would be tested against forms that no vendor sends.
 */
import { expect } from 'chai';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { StripeDouble } from '../../../support/vendors/doubles/stripe/stripe-double.js';
import { TwilioDouble } from '../../../support/vendors/doubles/twilio/twilio-double.js';

describe('what the doubles of Stripe and Twilio send', () => {
  requireContracts();
  let stripe: StripeDouble;
  let twilio: TwilioDouble;

  beforeEach(async () => {
    stripe = await new StripeDouble().start();
    twilio = await new TwilioDouble().start();
  });
  afterEach(() => Promise.all([stripe.stop(), twilio.stop()]));

  const callStripe = (key: string, path: string, form?: string, headers: Record<string, string> = {}) =>
    fetch(`${stripe.origin}${path}`, {
      headers: { authorization: `Bearer ${key}`, 'stripe-version': '2026-10-28.endive', ...headers },
      ...(form === undefined ? {} : { method: 'POST', body: form }),
    });
  const callTwilio = ({ accountSid, authToken }: Login, path: string, form?: Record<string, string>) =>
    fetch(`${twilio.origin}/2010-04-01/Accounts/${accountSid}${path}`, {
      headers: { authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}` },
      ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
    });
  interface Login {
    accountSid: string;
    authToken: string;
  }

  it("each kind of error response of Stripe's double passes Stripe's schema of errors", async () => {
    const account = stripe.openAccount();
    const post = (path: string, form: string) =>
      callStripe(account.key, path, form, { 'idempotency-key': path + form });
    account.nextDecline = 'insufficient_funds';
    const charge = 'amount=900&currency=usd&confirm=true&payment_method=pm_card_visa';
    const answers = [
      await callStripe('sk_test_stranger', '/v1/charges'),
      await callStripe(account.key, '/v1/payment_intents/pi_none'),
      await post('/v1/refunds', 'payment_intent=pi_none'),
      await post('/v1/payment_intents', charge),
    ];
    for (const fault of [
      { kind: 'limit', seconds: 1 },
      { kind: 'status', status: 500 },
      { kind: 'status', status: 503 },
    ] as const) {
      stripe.misbehave = () => fault;
      answers.push(await callStripe(account.key, '/v1/charges'));
    }
    expect(answers.map(({ status }) => status)).to.deep.equal([401, 404, 404, 402, 429, 500, 503]);
    expect(stripe.violations).to.deep.equal([]);
  });

  it("each kind of error response of Twilio's double has the members that Twilio documents", async () => {
    const login = twilio.openAccount();
    const text = { From: '+15185550100', Body: 'Hello' };
    const answers = [
      await callTwilio({ ...login, authToken: 'wrong' }, '/Messages.json'),
      await callTwilio(login, `/Messages/SM${'0'.repeat(32)}.json`),
      await callTwilio(login, '/Messages.json', { ...text, To: '+15005550001' }),
      await callTwilio(login, '/Messages.json', { ...text, To: '+15005550610' }),
    ];
    for (const fault of [
      { kind: 'limit', seconds: 1 },
      { kind: 'status', status: 503 },
    ] as const) {
      twilio.misbehave = () => fault;
      answers.push(await callTwilio(login, '/Messages.json'));
    }
    expect(answers.map(({ status }) => status)).to.deep.equal([401, 404, 400, 400, 429, 503]);
    expect(twilio.violations).to.deep.equal([]);
  });

  it('an error response in another form is a violation', async () => {
    stripe.misbehave = () => ({ kind: 'status', status: 400, body: { error: { type: 'oops' } } });
    await callStripe(stripe.openAccount().key, '/v1/charges');
    expect(stripe.violations).to.deep.equal(["error response 400: oops is no type of Stripe's errors"]);
    twilio.misbehave = () => ({ kind: 'status', status: 400, body: { code: 1, message: 'No', status: 401 } });
    await callTwilio(twilio.openAccount(), '/Messages.json');
    expect(twilio.violations).to.deep.equal([
      'error response 400: more_info is missing',
      'error response 400: 1 is no code of Twilio',
      'error response 400: the body says 401',
    ]);
  });

  it("a webhook of Stripe's double with an object that breaks the contract is a violation", () => {
    const account = stripe.openAccount();
    const intent = account.add('payment_intent', { amount: 900, currency: 'usd', status: 'succeeded' });
    account.emit('payment_intent.succeeded', intent);
    expect(stripe.violations).to.deep.equal([]);
    intent.amount = 'nine dollars';
    account.emit('payment_intent.succeeded', intent);
    expect(stripe.violations).to.have.length(1);
    expect(stripe.violations[0]).to.match(/^event payment_intent\.succeeded: PaymentIntent\/amount/);
  });

  it("a form of Twilio's double with a field that Twilio does not send is a violation", async () => {
    const { account } = twilio.openAccount();
    const url = `${twilio.origin}/nowhere`;
    const form = { MessageSid: `SM${'0'.repeat(32)}`, From: '+15185550100', MessageStatus: 'delivered' };
    await account.post(url, form);
    const posted = () => twilio.violations.filter((one) => one.startsWith('posted form'));
    expect(posted()).to.deep.equal([]);
    await account.post(url, { ...form, MessageStatus: 'lost', Colour: 'red' });
    expect(posted()).to.have.length(2);
    expect(posted().join()).to.include('Colour=red').and.to.include('message_enum_status');
  });
});
