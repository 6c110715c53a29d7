import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ContractCheck } from '../contracts/contract-check.js';
import { decodeForm } from '../contracts/decode-form.js';
import type { Fault } from '../contracts/fault.js';
import { serveControlPage } from './control-page.js';
import { serveHostedPage } from './hosted-page.js';
import { closeDispute, disputeIntent, failIntent, failRefund, settleIntent } from './payments.js';
import { answerCall, paySession, StripeRefusal } from './routes.js';
import { StripeAccount, type StripeObject, token } from './stripe-account.js';
import { WebhookSender } from './webhook-sender.js';

const API_VERSION = '2026-10-28.endive';

let sharedContract: ContractCheck | undefined;

function openContract(): ContractCheck | undefined {
  sharedContract ??= ContractCheck.open('stripe', ['openapi.json', 'billing.json', 'terminal.json']);
  return sharedContract;
}

/**
 * Stands in for Stripe's API, its hosted pages and its webhooks, over HTTP on loopback. It keeps
 * objects in memory, and checks every request and answer against Stripe's contract. It misbehaves
 * if a test wants that.
 */
export class StripeDouble {
  /** Requests and answers that Stripe's contract does not allow. */
  readonly violations: string[] = [];
  readonly calls: { name: string; key: string; at: number }[] = [];
  readonly webhooks = new WebhookSender();
  origin = '';
  /** Called for each request. If the function returns a fault, the double misbehaves that way. */
  misbehave: (name: string) => Fault | undefined = () => undefined;
  /** If true, any secret key opens an account. */
  opensAnyKey = false;
  private readonly accounts = new Map<string, StripeAccount>();
  private readonly contract = openContract();
  private readonly server = createServer((request, response) => {
    this.serve(request, response).catch((error: unknown) => {
      this.violations.push(String(error));
      response.destroy();
    });
  });

  async start(port = 0): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(port, '127.0.0.1', resolve));
    this.origin = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return this;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    await this.webhooks.stop();
  }

  /** Opens an account, which the double then knows by its secret key. */
  openAccount(key = `sk_test_${token(12)}`): StripeAccount {
    const account = new StripeAccount(key, this.contract, (owner, event) => this.webhooks.send(owner, event));
    this.accounts.set(key, account);
    return account;
  }

  private findAccount(key: string): StripeAccount | undefined {
    return this.accounts.get(key) ?? (this.opensAnyKey ? this.openAccount(key) : undefined);
  }

  /** Lets a customer pay on the page at `url`, and returns the PaymentIntent. */
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

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.origin);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    if (url.pathname === '/double/')
      return serveControlPage([...this.accounts.values()], { method: request.method ?? '', body, response });
    if (!url.pathname.startsWith('/v1/')) return serveHostedPage(this, { request, response, url, body });
    const name = `${request.method} ${url.pathname}`;
    this.calls.push({ name, key: String(request.headers['idempotency-key'] ?? ''), at: Date.now() });
    const fault = this.misbehave(name);
    if (fault?.kind === 'slow') await new Promise((resolve) => setTimeout(resolve, fault.ms));
    if (fault?.kind === 'cut_before') return void response.destroy();
    if (fault?.kind === 'limit') {
      const error = { type: 'invalid_request_error', code: 'rate_limit', message: 'Too many requests.' };
      return send(response, 429, { error }, { 'retry-after': `${fault.seconds}` });
    }
    if (fault?.kind === 'status')
      return send(response, fault.status, fault.body ?? { error: { type: 'api_error', message: 'Oops.' } });
    const { status, result, headers } = this.answer(request, url, body);
    if (fault?.kind === 'cut_after') return void response.destroy();
    if (fault?.kind === 'hold') await fault.until;
    send(response, status, result, headers);
  }

  private answer(request: IncomingMessage, url: URL, body: string) {
    const { method = '' } = request;
    const account = this.findAccount(String(request.headers.authorization ?? '').replace('Bearer ', ''));
    if (!account)
      return {
        status: 401,
        result: { error: { type: 'invalid_request_error', message: 'Invalid API Key provided.' } },
      };
    if (request.headers['stripe-version'] !== API_VERSION)
      this.violations.push(`${method} ${url.pathname}: version`);
    const key = String(request.headers['idempotency-key'] ?? '');
    const form = decodeForm(method === 'GET' ? url.search.slice(1) : body);
    const call = { method, path: url.pathname, ...(method === 'GET' ? { query: form } : { body: form }) };
    const faults = this.contract?.checkRequest(call) ?? [];
    if (method === 'POST' && key === '') faults.push('no Idempotency-Key');
    this.violations.push(...faults.map((fault) => `${method} ${url.pathname}: ${fault}`));
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
    if (status < 300) {
      const wrong = this.contract?.checkResponse({ ...call, body: result }, status) ?? [];
      this.violations.push(...wrong.map((fault) => `answer to ${method} ${url.pathname}: ${fault}`));
    }
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

export function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'request-id': `req_${randomUUID()}`,
    ...headers,
  });
  response.end(JSON.stringify(body));
}
