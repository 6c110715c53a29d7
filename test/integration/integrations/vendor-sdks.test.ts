import { expect } from 'chai';
import Stripe from 'stripe';
import twilioSdk from 'twilio';
import { requireContracts } from '../../support/vendors/contracts/load-contract.js';
import type { StripeAccount } from '../../support/vendors/doubles/stripe/stripe-account.js';
import { StripeDouble } from '../../support/vendors/doubles/stripe/stripe-double.js';
import { TwilioDouble } from '../../support/vendors/doubles/twilio/twilio-double.js';

/** Replaces the vendor's origin in a URL by that of the double. */
function redirect(url: string, origin: string): URL {
  const { pathname, search } = new URL(url);
  return new URL(pathname + search, origin);
}

describe("Stripe's official SDK against its double", () => {
  requireContracts();
  let double: StripeDouble;
  let account: StripeAccount;
  let sdk: Stripe;

  before(async () => {
    double = await new StripeDouble().start();
    account = double.openAccount();
    sdk = new Stripe(account.key, {
      // Even with 0, the SDK repeats a call once if it gets no response.
      maxNetworkRetries: 0,
      telemetry: false,
      httpClient: Stripe.createFetchHttpClient((input: unknown, init?: RequestInit) => {
        const headers = new Headers(init?.headers);
        headers.delete('content-length');
        return fetch(redirect(String(input), double.origin), { ...init, headers });
      }),
    });
  });

  after(() => double?.stop());

  afterEach(() => {
    double.misbehave = () => undefined;
    expect(double.violations.splice(0)).to.deep.equal([]);
  });

  const createSession = (options: Stripe.RequestOptions = {}) =>
    sdk.checkout.sessions.create(
      {
        mode: 'payment',
        success_url: 'https://example.com/paid',
        client_reference_id: 'invoice-1',
        line_items: [
          {
            quantity: 1,
            price_data: { currency: 'usd', unit_amount: 12_500, product_data: { name: 'Tow' } },
          },
        ],
        payment_intent_data: { metadata: { invoice_id: 'invoice-1' } },
      },
      options,
    );

  async function pay(method: 'card' | 'us_bank_account' = 'card') {
    const session = await createSession();
    return { session, intent: double.pay(session.url ?? '', method) };
  }

  it('creates a Checkout Session and reads it before and after the payment', async () => {
    const session = await createSession();
    expect(session.id).to.match(/^cs_test_/);
    expect(session.lastResponse.requestId).to.match(/^req_/);
    expect(await sdk.checkout.sessions.retrieve(session.id)).to.include({
      status: 'open',
      payment_status: 'unpaid',
      amount_total: 12_500,
      client_reference_id: 'invoice-1',
    });
    const intent = double.pay(session.url ?? '');
    expect(await sdk.checkout.sessions.retrieve(session.id)).to.include({
      status: 'complete',
      payment_status: 'paid',
      payment_intent: intent.id,
    });
  });

  it('reads a PaymentIntent with the expanded charge and its fee', async () => {
    const { intent } = await pay();
    const read = await sdk.paymentIntents.retrieve(intent.id, {
      expand: ['latest_charge.balance_transaction'],
    });
    expect(read).to.include({ status: 'succeeded', amount_received: 12_500 });
    expect(read.metadata).to.deep.equal({ invoice_id: 'invoice-1' });
    const charge = read.latest_charge as Stripe.Charge;
    expect(charge).to.include({ paid: true, payment_intent: intent.id });
    expect((charge.balance_transaction as Stripe.BalanceTransaction).fee).to.equal(393);
    const plain = await sdk.paymentIntents.retrieve(intent.id);
    expect(plain.latest_charge).to.equal(charge.id);
  });

  it('refunds a part, then refuses more than is left with a typed error', async () => {
    const { intent } = await pay();
    const refund = await sdk.refunds.create({ payment_intent: intent.id, amount: 2500 });
    expect(refund).to.include({ amount: 2500, status: 'succeeded', payment_intent: intent.id });
    expect(await sdk.refunds.retrieve(refund.id)).to.include({ id: refund.id, amount: 2500 });
    const error = await fail(sdk.refunds.create({ payment_intent: intent.id, amount: 12_000 }));
    expect(error).to.be.instanceOf(Stripe.errors.StripeInvalidRequestError);
    expect(error).to.include({ code: 'charge_already_refunded', statusCode: 400 });
  });

  it('pages by itself through all events, newest first and each once', async () => {
    for (let i = 0; i < 4; i++) await pay();
    const seen: string[] = [];
    for await (const event of sdk.events.list({ limit: 3 })) seen.push(event.id);
    expect(seen).to.deep.equal(account.list('event').map(({ id }) => id));
    expect(new Set(seen).size).to.equal(seen.length);
    expect(seen.length).to.be.greaterThan(12);
    const first = await sdk.events.list({ limit: 2, type: 'payment_intent.succeeded' });
    expect(first.data.map(({ type }) => type)).to.deep.equal(Array(2).fill('payment_intent.succeeded'));
    expect(first.has_more).to.equal(true);
  });

  it('throws its typed errors: absent, unknown key, too many calls, Stripe is down', async () => {
    const absent = await fail(sdk.paymentIntents.retrieve('pi_none'));
    expect(absent).to.be.instanceOf(Stripe.errors.StripeInvalidRequestError);
    expect(absent).to.include({ statusCode: 404, code: 'resource_missing' });
    const stranger = await fail(sdk.charges.list({}, { apiKey: 'sk_test_stranger' }));
    expect(stranger).to.be.instanceOf(Stripe.errors.StripeAuthenticationError);
    double.misbehave = () => ({ kind: 'limit', seconds: 1 });
    expect(await fail(sdk.charges.list())).to.be.instanceOf(Stripe.errors.StripeRateLimitError);
    double.misbehave = () => ({ kind: 'status', status: 500 });
    expect(await fail(sdk.charges.list())).to.be.instanceOf(Stripe.errors.StripeAPIError);
    double.misbehave = () => ({ kind: 'cut_before' });
    expect(await fail(sdk.charges.list())).to.be.instanceOf(Stripe.errors.StripeConnectionError);
  });

  it('a declined card is a StripeCardError with the reason of the bank', async () => {
    account.nextDecline = 'insufficient_funds';
    const error = await fail(
      sdk.paymentIntents.create({
        amount: 5000,
        currency: 'usd',
        confirm: true,
        payment_method: 'pm_card_visa',
      }),
    );
    expect(error).to.be.instanceOf(Stripe.errors.StripeCardError);
    expect(error).to.include({ statusCode: 402, decline_code: 'insufficient_funds' });
  });

  it('a repeated key gets the first answer, and with other parameters an idempotency error', async () => {
    const idempotencyKey = 'operation-1';
    const first = await createSession({ idempotencyKey });
    const again = await createSession({ idempotencyKey });
    expect(again.id).to.equal(first.id);
    const isReplayed = ({ lastResponse: { headers } }: typeof first) =>
      new Headers(headers).get('idempotent-replayed');
    expect([isReplayed(first), isReplayed(again)]).to.deep.equal([null, 'true']);
    const error = await fail(sdk.refunds.create({ payment_intent: 'pi_other' }, { idempotencyKey }));
    expect(error).to.be.instanceOf(Stripe.errors.StripeIdempotencyError);
    // The double records this misuse of a key as a violation. Clear the list for the other tests.
    expect(double.violations.splice(0)).to.deep.equal(['another request under the key operation-1']);
  });
});

describe("Twilio's official SDK against its double", () => {
  requireContracts();
  let double: TwilioDouble;
  let sdk: ReturnType<typeof twilioSdk>;
  let from: string;

  before(async () => {
    double = await new TwilioDouble().start();
    const { accountSid, authToken } = double.openAccount();
    from = '+15185550100';
    sdk = openSdk(accountSid, authToken);
  });

  after(() => double?.stop());

  afterEach(() => {
    double.misbehave = () => undefined;
    expect(double.violations.splice(0)).to.deep.equal([]);
  });

  function openSdk(accountSid: string, authToken: string): ReturnType<typeof twilioSdk> {
    const httpClient = {
      async request(options: TwilioRequest) {
        const url = redirect(options.uri, double.origin);
        for (const [name, value] of toPairs(options.params)) url.searchParams.append(name, value);
        const isWrite = options.method.toUpperCase() === 'POST';
        const response = await fetch(url, {
          method: options.method.toUpperCase(),
          headers: {
            ...options.headers,
            authorization: `Basic ${Buffer.from(`${options.username}:${options.password}`).toString('base64')}`,
          },
          ...(isWrite ? { body: new URLSearchParams(toPairs(options.data)).toString() } : {}),
        });
        const headers = Object.fromEntries(response.headers);
        return { statusCode: response.status, body: await response.text(), headers };
      },
    };
    return twilioSdk(accountSid, authToken, { httpClient: httpClient as never });
  }

  const send = (to: string, body: string) =>
    sdk.messages.create({ from, to, body, statusCallback: 'https://example.com/hooks' });

  it('sends a text and reads its state, segments and price', async () => {
    const sent = await send('+12125550111', 'Your driver is on the way.');
    expect(sent.sid).to.match(/^SM[0-9a-f]{32}$/);
    expect(sent).to.include({ status: 'queued', numSegments: '1', direction: 'outbound-api', from });
    expect(sent.dateCreated).to.be.instanceOf(Date);
    expect(Math.abs(sent.dateCreated.getTime() - Date.now())).to.be.lessThan(5000);
    const long = await send('+12125550111', 'ж'.repeat(71));
    expect(long.numSegments).to.equal('2');
    const read = await sdk.messages(sent.sid).fetch();
    expect(read).to.include({ sid: sent.sid, body: 'Your driver is on the way.', errorCode: null });
  });

  it('lists the texts to a number, page by page, newest first and each once', async () => {
    const to = '+12125550122';
    const sids: string[] = [];
    for (let i = 0; i < 7; i++) sids.unshift((await send(to, `Text ${i}`)).sid);
    const listed = await sdk.messages.list({ to, pageSize: 3 });
    expect(listed.map(({ sid }) => sid)).to.deep.equal(sids);
    const yesterday = new Date(Date.now() - 86_400_000);
    expect(await sdk.messages.list({ to, dateSentAfter: yesterday })).to.have.length(7);
    expect(await sdk.messages.list({ to, dateSentAfter: new Date(Date.now() + 86_400_000) })).to.be.empty;
    expect(await sdk.messages.list({ to, limit: 2 })).to.have.length(2);
  });

  it('reads the account itself', async () => {
    expect(await sdk.api.v2010.accounts(sdk.accountSid).fetch()).to.include({ status: 'active' });
  });

  it('throws its RestException with code and status', async () => {
    expect(await fail(send('+15005550001', 'Hello'))).to.include({ status: 400, code: 21211 });
    expect(await fail(send('+15005550610', 'Hello'))).to.include({ status: 400, code: 21610 });
    const absent = await fail(sdk.messages(`SM${'0'.repeat(32)}`).fetch());
    expect(absent).to.be.instanceOf(twilioSdk.RestException);
    expect(absent).to.include({ status: 404, code: 20404 });
    const stranger = openSdk(`AC${'0'.repeat(32)}`, 'wrong');
    expect(await fail(stranger.messages.list())).to.include({ status: 401, code: 20003 });
    double.misbehave = () => ({ kind: 'limit', seconds: 1 });
    expect(await fail(send('+12125550133', 'Hello'))).to.include({ status: 429, code: 20429 });
  });
});

/** A request as the SDK passes it to its HTTP client. */
interface TwilioRequest {
  method: string;
  uri: string;
  username: string;
  password: string;
  headers: Record<string, string>;
  params?: object;
  data?: object;
}

function toPairs(fields: object = {}): [string, string][] {
  return Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
}

async function fail(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error('the call did not fail');
}
