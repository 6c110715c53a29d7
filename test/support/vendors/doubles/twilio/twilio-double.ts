import type { ServerResponse } from 'node:http';
import { ContractCheck } from '../../contracts/contract-check.js';
import { decodeForm } from '../../contracts/decode-form.js';
import { type DoubleAnswer, type ReceivedCall, VendorDouble } from '../../contracts/vendor-double.js';
import { serveControlPage } from './control-page.js';
import { buildMessage, listMessages, type SentMessage, showMessage, token } from './messages.js';
import { buildError, listErrorFaults, listPostFaults } from './published-forms.js';
import { type PostAnswer, TwilioAccount } from './twilio-account.js';

let sharedContract: ContractCheck | undefined;

function openContract(): ContractCheck | undefined {
  sharedContract ??= ContractCheck.open('twilio', ['openapi.json', 'messaging-v1.json', 'lookups-v2.json']);
  return sharedContract;
}

const OPTED_OUT = { code: 21610, message: 'Attempt to send to unsubscribed recipient' };

/**
 * Maps each number that Twilio refuses to Twilio's error. +15005550001 is invalid, and +15005550610
 * has opted out.
 */
const REFUSED_NUMBERS: Readonly<Record<string, { code: number; message: string }>> = {
  '+15005550001': { code: 21211, message: "The 'To' number +15005550001 is not a valid phone number." },
  '+15005550610': OPTED_OUT,
};

/**
 * Stands in for Twilio's API. It keeps texts in memory, and checks every request and answer against
 * Twilio's contract.
 */
export class TwilioDouble extends VendorDouble {
  readonly messages: SentMessage[] = [];
  readonly calls: { name: string; at: number }[] = [];
  /** If true, any account SID with any auth token opens an account. */
  opensAnyAccount = false;
  private readonly accounts = new Map<string, TwilioAccount>();
  protected readonly contract = openContract();
  protected readonly errorBody = buildError(500, 20500, 'Internal Server Error');
  openAccount(
    accountSid = `AC${token()}`,
    authToken = token(),
  ): { accountSid: string; authToken: string; account: TwilioAccount } {
    const account = new TwilioAccount(accountSid, authToken, (form) => {
      const faults = listPostFaults(form, this.contract);
      this.violations.push(...faults.map((fault) => `posted form: ${fault}`));
    });
    this.accounts.set(accountSid, account);
    return { accountSid, authToken, account };
  }

  listAccounts(): TwilioAccount[] {
    return [...this.accounts.values()];
  }

  findTexts(to: string): SentMessage[] {
    return this.messages.filter((message) => message.to === to);
  }

  /**
   * Sets the state of a text, and reports it to the address in its StatusCallback.
   * @param origin the address of the product, if the callback names its public address
   */
  async report(
    message: SentMessage,
    status: string,
    { origin, errorCode = null }: { origin?: string; errorCode?: number | null },
  ): Promise<number> {
    Object.assign(message, { status, error_code: errorCode });
    const form = {
      MessageSid: message.sid,
      MessageStatus: status,
      To: message.to,
      From: message.from,
      ...(errorCode === null ? {} : { ErrorCode: String(errorCode) }),
    };
    return (await this.find(message.account_sid).post(message.callback, form, origin)).status;
  }

  /** Posts a signed form to the product, as Twilio does, and returns the answer. */
  post(
    url: string,
    form: Record<string, string>,
    { origin, accountSid }: { origin: string; accountSid: string },
  ): Promise<PostAnswer> {
    return this.find(accountSid).post(url, form, origin);
  }

  private find(accountSid: string): TwilioAccount {
    const account = this.accounts.get(accountSid);
    if (!account) throw new Error(`the double has no account ${accountSid}`);
    return account;
  }

  protected async serve(call: ReceivedCall, response: ServerResponse): Promise<void> {
    const { method, url, body } = call;
    if (url.pathname === '/double/') return serveControlPage(this, { method, body, response });
    const name = `${method} ${url.pathname.split('/').at(-1)}`;
    this.calls.push({ name, at: Date.now() });
    await this.serveCall(name, call, response);
  }

  protected override listErrorFaults({ status, result }: DoubleAnswer): string[] {
    return listErrorFaults(status, result);
  }

  protected refuseByLimit(seconds: number): DoubleAnswer {
    const headers = { 'retry-after': `${seconds}` };
    return { status: 429, result: buildError(429, 20429, 'Too Many Requests'), headers };
  }

  protected buildHeaders(): Record<string, string> {
    return { 'twilio-request-id': `RQ${token()}` };
  }

  protected answer({ method, url, headers, body }: ReceivedCall): DoubleAnswer {
    const [, , , account = '', ...rest] = url.pathname.split('/');
    const accountSid = account.replace('.json', '');
    const [scheme, encoded = ''] = String(headers.authorization ?? '').split(' ');
    const [user, secret = ''] = Buffer.from(encoded, 'base64').toString().split(':');
    if (this.opensAnyAccount && user === accountSid && !this.accounts.has(accountSid))
      this.openAccount(accountSid, secret);
    const known = this.accounts.get(accountSid);
    if (scheme !== 'Basic' || user !== accountSid || secret !== known?.authToken)
      return { status: 401, result: buildError(401, 20003, 'Authenticate') };
    const form = decodeForm(method === 'GET' ? url.search.slice(1) : body) as Record<string, string>;
    const call = { method, path: url.pathname, ...(method === 'GET' ? { query: form } : { body: form }) };
    this.checkRequest(call);
    const answer = this.run(method, rest.join('/'), { account: known, form });
    this.checkAnswer(call, { ...answer, result: withAbsoluteUris(answer.result, this.origin) });
    return answer;
  }

  private run(
    method: string,
    path: string,
    { account, form }: { account: TwilioAccount; form: Record<string, string> },
  ): { status: number; result: object } {
    const { sid: accountSid } = account;
    if (method === 'GET' && path === '')
      return { status: 200, result: { sid: accountSid, friendly_name: 'Hudson Towing', status: 'active' } };
    if (method === 'POST' && path === 'Messages.json') return this.create(account, form);
    const own = this.messages.filter(({ account_sid }) => account_sid === accountSid);
    if (method === 'GET' && path === 'Messages.json')
      return listMessages(`/2010-04-01/Accounts/${accountSid}/Messages.json`, own, form);
    const sid = /^Messages\/(\w+)\.json$/.exec(path)?.[1];
    const found = own.find((message) => message.sid === sid);
    if (method === 'GET' && found) return { status: 200, result: showMessage(found) };
    return { status: 404, result: buildError(404, 20404, 'The requested resource was not found') };
  }

  private create(account: TwilioAccount, form: Record<string, string>): { status: number; result: object } {
    const { To: to = '', From } = form;
    const refusal = REFUSED_NUMBERS[to] ?? (account.optedOut.has(to) ? OPTED_OUT : undefined);
    if (refusal) return { status: 400, result: buildError(400, refusal.code, refusal.message) };
    if (From !== undefined) account.number = From;
    const message = buildMessage(account, form);
    this.messages.push(message);
    return { status: 201, result: showMessage(message) };
  }
}

/**
 * Makes the URIs of pages absolute. Twilio returns them as paths, although its contract requires
 * absolute URIs.
 */
function withAbsoluteUris(result: object, origin: string): object {
  const members = Object.entries(result).map(([name, value]) =>
    name.endsWith('uri') && typeof value === 'string' ? [name, origin + value] : [name, value],
  );
  return Object.fromEntries(members);
}
