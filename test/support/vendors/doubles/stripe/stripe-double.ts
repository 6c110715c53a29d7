import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { ContractCheck } from '../../contracts/contract-check.js';
import { decodeForm } from '../../contracts/decode-form.js';
import { type DoubleAnswer, type ReceivedCall, VendorDouble } from '../../contracts/vendor-double.js';
import { serveControlPage } from './control-page.js';
import { takeFile } from './files.js';
import { serveHostedPage } from './hosted-page.js';
import { StripeSignIns, serveSignIn } from './oauth.js';
import { closeDispute, disputeIntent, failIntent, failRefund, settleIntent } from './payments.js';
import { answerCall, paySession } from './routes.js';
import { detachMethod, type SaveOptions, saveMethod, verifyDeposits } from './saved-methods.js';
import { KINDS, type Kind, StripeAccount, type StripeObject, token } from './stripe-account.js';
import { StripeRefusal } from './stripe-refusal.js';
import { WebhookSender } from './webhook-sender.js';

const API_VERSION = '2026-10-28.endive';

/** The types that the contract lists as known. It names no type for a key that is wrong. */
const ERROR_TYPES: readonly string[] = [
  'api_error',
  'card_error',
  'idempotency_error',
  'invalid_request_error',
  'rate_limit_error',
];

let sharedContract: ContractCheck | undefined;

function openContract(): ContractCheck | undefined {
  sharedContract ??= ContractCheck.open('stripe', ['openapi.json', 'billing.json', 'terminal.json']);
  return sharedContract;
}

/**
 * Stands in for Stripe's API, its hosted pages and its webhooks. It keeps objects in memory, and
 * checks every request and answer against Stripe's contract.
 */
export class StripeDouble extends VendorDouble {
  readonly calls: { name: string; key: string; at: number }[] = [];
  readonly webhooks = new WebhookSender();
  readonly signIns = new StripeSignIns();
  /** If true, any secret key opens an account. */
  opensAnyKey = false;
  private readonly accounts = new Map<string, StripeAccount>();
  protected readonly contract = openContract();
  protected readonly errorBody = { error: { type: 'api_error', message: 'Oops.' } };
  override async stop(): Promise<void> {
    await super.stop();
    await this.webhooks.stop();
  }

  /** Opens an account. Requests with its secret key then belong to this account. */
  openAccount(key = `sk_test_${token(12)}`): StripeAccount {
    const account = new StripeAccount(key, this.contract, (owner, event) => {
      this.checkEvent(event);
      this.webhooks.send(owner, event);
    });
    this.accounts.set(key, account);
    return account;
  }

  /** Checks an event, and the object in it, against the contract. Webhooks carry nothing else. */
  private checkEvent(event: StripeObject): void {
    const { object } = event.data as { object: StripeObject };
    const faults = [
      ...(this.contract?.checkSchema('Event', event) ?? []),
      ...(this.contract?.checkSchema(KINDS[object.object as Kind].schema, object) ?? []),
    ];
    this.violations.push(...faults.map((fault) => `event ${event.type}: ${fault}`));
  }

  protected override listErrorFaults({ result }: DoubleAnswer): string[] {
    const { type } = Object(Object(result).error) as { type?: string };
    return [
      ...(this.contract?.checkSchema('Error', result) ?? []),
      ...(ERROR_TYPES.includes(type ?? '') ? [] : [`${type} is no type of Stripe's errors`]),
    ];
  }

  private findAccount(key: string): StripeAccount | undefined {
    return (
      this.accounts.get(key) ??
      this.signIns.accounts.get(key) ??
      (this.opensAnyKey ? this.openAccount(key) : undefined)
    );
  }

  /** Pays on the page at `url`, as a customer would. Returns the PaymentIntent. */
  pay(url: string, method: 'card' | 'link' | 'us_bank_account' = 'card'): StripeObject {
    const [account, session] = this.findSession(url);
    return paySession(account, session, method);
  }

  settle(intent: StripeObject): void {
    settleIntent(this.ownerOf(intent), intent, 'us_bank_account');
  }

  fail(intent: StripeObject, code: string): void {
    failIntent(this.ownerOf(intent), intent, code);
  }

  failRefund(refund: StripeObject, reason = 'expired_or_canceled_card'): void {
    failRefund(this.ownerOf(refund), refund, reason);
  }

  dispute(intent: StripeObject, reason = 'fraudulent'): StripeObject {
    return disputeIntent(this.ownerOf(intent), intent, reason);
  }

  closeDispute(dispute: StripeObject, outcome: 'won' | 'lost'): void {
    closeDispute(this.ownerOf(dispute), dispute, outcome);
  }

  /** Saves a payment method on the page at `url`, as a customer would. */
  saveMethod(url: string, options: SaveOptions = {}): { method: StripeObject; intent: StripeObject } {
    const [account, session] = this.findSession(url);
    return saveMethod(account, session, options);
  }

  verifyDeposits(intent: StripeObject, isRight: boolean): void {
    verifyDeposits(this.ownerOf(intent), intent, isRight);
  }

  detachMethod(method: StripeObject): void {
    detachMethod(this.ownerOf(method), method);
  }

  findSession(url: string): [StripeAccount, StripeObject] {
    const id = new URL(url).pathname.split('/').at(-1);
    for (const account of this.accounts.values()) {
      const session = account.find(id, 'checkout.session');
      if (session) return [account, session];
    }
    throw new Error(`no checkout session at ${url}`);
  }

  private ownerOf({ id }: StripeObject): StripeAccount {
    for (const account of this.accounts.values()) if (account.objects.has(id)) return account;
    throw new Error(`no account has ${id}`);
  }

  protected async serve(call: ReceivedCall, response: ServerResponse): Promise<void> {
    const { method, url, headers, body } = call;
    if (url.pathname === '/double/')
      return serveControlPage([...this.accounts.values()], { method, body, response });
    if (url.pathname === '/oauth/authorize')
      return serveSignIn(this.signIns, {
        method,
        url,
        account: () => this.openAccount(`sk_live_${token(12)}`),
        response,
      });
    if (url.pathname.startsWith('/oauth/')) {
      const { status, result } = await this.signIns.answer(url.pathname, new URLSearchParams(body));
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(result));
      return;
    }
    if (!url.pathname.startsWith('/v1/')) return serveHostedPage(this, { method, response, url, body });
    const name = `${method} ${url.pathname}`;
    this.calls.push({ name, key: String(headers['idempotency-key'] ?? ''), at: Date.now() });
    await this.serveCall(name, call, response);
  }

  protected refuseByLimit(seconds: number): DoubleAnswer {
    const error = { type: 'invalid_request_error', code: 'rate_limit', message: 'Too many requests.' };
    return { status: 429, result: { error }, headers: { 'retry-after': `${seconds}` } };
  }

  protected buildHeaders(): Record<string, string> {
    return { 'request-id': `req_${randomUUID()}` };
  }

  protected answer({ method, url, headers, body, bytes }: ReceivedCall): DoubleAnswer {
    const account = this.findAccount(String(headers.authorization ?? '').replace('Bearer ', ''));
    if (!account)
      return {
        status: 401,
        result: { error: { type: 'invalid_request_error', message: 'Invalid API Key provided.' } },
      };
    if (headers['stripe-version'] !== API_VERSION) this.violations.push(`${method} ${url.pathname}: version`);
    const key = String(headers['idempotency-key'] ?? '');
    // Stripe's published API does not describe the endpoint that receives files.
    if (url.pathname === '/v1/files') return { status: 200, result: takeFile(account, bytes) };
    const form = decodeForm(method === 'GET' ? url.search.slice(1) : body);
    const call = { method, path: url.pathname, ...(method === 'GET' ? { query: form } : { body: form }) };
    const faults = this.checkRequest(call, method === 'POST' && key === '' ? ['no Idempotency-Key'] : []);
    if (faults.length > 0)
      return {
        status: 400,
        result: { error: { type: 'invalid_request_error', message: faults.join('; ') } },
      };
    const known = key === '' ? undefined : account.answers.get(key);
    const requestText = `${method} ${url.pathname} ${JSON.stringify(form)}`;
    if (known && known.request !== requestText) {
      this.violations.push(`another request under the key ${key}`);
      const message = 'Keys for idempotent requests can only be used with the same parameters.';
      return { status: 400, result: { error: { type: 'idempotency_error', message } } };
    }
    if (known)
      return { status: known.status, result: known.body, headers: { 'idempotent-replayed': 'true' } };
    const { status, result } = this.run(account, { method, path: url.pathname.slice('/v1/'.length), form });
    this.checkAnswer(call, { status, result });
    if (key !== '') account.answers.set(key, { request: requestText, status, body: structuredClone(result) });
    return { status, result };
  }

  private run(
    account: StripeAccount,
    { method, path, form }: { method: string; path: string; form: Record<string, unknown> },
  ): { status: number; result: unknown } {
    try {
      return { status: 200, result: answerCall(method, path, { account, form, origin: this.origin }) };
    } catch (error) {
      if (!(error instanceof StripeRefusal)) throw error;
      return { status: error.status, result: { error: error.error } };
    }
  }
}
