import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { ContractCheck } from '../contracts/contract-check.js';
import { decodeForm } from '../contracts/decode-form.js';
import { type DoubleAnswer, type ReceivedCall, VendorDouble } from '../contracts/vendor-double.js';
import { buildMessage, listMessages, type SentMessage, showMessage, token } from './messages.js';

let sharedContract: ContractCheck | undefined;

function openContract(): ContractCheck | undefined {
  sharedContract ??= ContractCheck.open('twilio', ['openapi.json', 'messaging-v1.json', 'lookups-v2.json']);
  return sharedContract;
}

/**
 * The numbers that Twilio refuses, with its error code. +15005550001 is invalid, and +15005550610
 * has opted out.
 */
const REFUSED_NUMBERS: Readonly<Record<string, { code: number; message: string }>> = {
  '+15005550001': { code: 21211, message: "The 'To' number +15005550001 is not a valid phone number." },
  '+15005550610': { code: 21610, message: 'Attempt to send to unsubscribed recipient' },
};

/** Returns the header X-Twilio-Signature of a form that Twilio posts to `url`. */
export function signForm(url: string, form: Record<string, string>, authToken: string): string {
  const fields = Object.keys(form)
    .sort()
    .map((name) => `${name}${form[name]}`);
  return createHmac('sha1', authToken)
    .update(url + fields.join(''))
    .digest('base64');
}

/**
 * Stands in for Twilio's API. It keeps texts in memory, and checks every request and answer against
 * Twilio's contract.
 */
export class TwilioDouble extends VendorDouble {
  readonly messages: SentMessage[] = [];
  readonly calls: { name: string; at: number }[] = [];
  /** The auth tokens by account. */
  private readonly accounts = new Map<string, string>();
  protected readonly contract = openContract();
  protected readonly errorBody = { message: 'Oops' };
  openAccount(): { accountSid: string; authToken: string } {
    const accountSid = `AC${token()}`;
    const authToken = token();
    this.accounts.set(accountSid, authToken);
    return { accountSid, authToken };
  }

  findTexts(to: string): SentMessage[] {
    return this.messages.filter((message) => message.to === to);
  }

  /**
   * Sets the state of a text, and reports it to the address in its StatusCallback.
   * @param origin the address of the product, because the callback names its public address
   */
  async report(
    message: SentMessage,
    status: string,
    { origin, errorCode = null }: { origin: string; errorCode?: number | null },
  ): Promise<number> {
    Object.assign(message, { status, error_code: errorCode });
    const form = {
      AccountSid: message.account_sid,
      MessageSid: message.sid,
      MessageStatus: status,
      To: message.to,
      From: message.from,
      ...(errorCode === null ? {} : { ErrorCode: String(errorCode) }),
    };
    return (await this.post(message.callback, form, { origin, accountSid: message.account_sid })).status;
  }

  /** Posts a signed form, as Twilio does, and returns the answer. */
  async post(
    url: string,
    form: Record<string, string>,
    { origin, accountSid }: { origin: string; accountSid: string },
  ): Promise<{ status: number; text: string }> {
    const signature = signForm(url, form, this.accounts.get(accountSid) ?? '');
    const { pathname, search } = new URL(url);
    const response = await fetch(`${origin}${pathname}${search}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature },
      body: new URLSearchParams(form).toString(),
    });
    return { status: response.status, text: await response.text() };
  }

  protected async serve(call: ReceivedCall, response: ServerResponse): Promise<void> {
    const name = `${call.method} ${call.url.pathname.split('/').at(-1)}`;
    this.calls.push({ name, at: Date.now() });
    await this.serveCall(name, call, response);
  }

  protected refuseByLimit(): DoubleAnswer {
    return { status: 429, result: { code: 20429, message: 'Too Many Requests', status: 429 } };
  }

  protected buildHeaders(): Record<string, string> {
    return { 'twilio-request-id': `RQ${token()}` };
  }

  protected answer({ method, url, headers, body }: ReceivedCall): DoubleAnswer {
    const [, , , account = '', ...rest] = url.pathname.split('/');
    const accountSid = account.replace('.json', '');
    const [scheme, encoded = ''] = String(headers.authorization ?? '').split(' ');
    const expected = `${accountSid}:${this.accounts.get(accountSid)}`;
    if (scheme !== 'Basic' || Buffer.from(encoded, 'base64').toString() !== expected)
      return { status: 401, result: { code: 20003, message: 'Authenticate', status: 401 } };
    const form = decodeForm(method === 'GET' ? url.search.slice(1) : body) as Record<string, string>;
    const call = { method, path: url.pathname, ...(method === 'GET' ? { query: form } : { body: form }) };
    this.checkRequest(call);
    const answer = this.run(method, rest.join('/'), { accountSid, form });
    this.checkAnswer(call, { ...answer, result: withAbsoluteUris(answer.result, this.origin) });
    return answer;
  }

  private run(
    method: string,
    path: string,
    { accountSid, form }: { accountSid: string; form: Record<string, string> },
  ): { status: number; result: object } {
    if (method === 'GET' && path === '')
      return { status: 200, result: { sid: accountSid, friendly_name: 'Hudson Towing', status: 'active' } };
    if (method === 'POST' && path === 'Messages.json') return this.create(accountSid, form);
    const own = this.messages.filter(({ account_sid }) => account_sid === accountSid);
    if (method === 'GET' && path === 'Messages.json')
      return listMessages(`/2010-04-01/Accounts/${accountSid}/Messages.json`, own, form);
    const sid = /^Messages\/(\w+)\.json$/.exec(path)?.[1];
    const found = own.find((message) => message.sid === sid);
    if (method === 'GET' && found) return { status: 200, result: showMessage(found) };
    return {
      status: 404,
      result: { code: 20404, message: 'The requested resource was not found', status: 404 },
    };
  }

  private create(accountSid: string, form: Record<string, string>): { status: number; result: object } {
    const refusal = REFUSED_NUMBERS[form.To ?? ''];
    if (refusal)
      return { status: 400, result: { ...refusal, more_info: 'https://www.twilio.com/docs', status: 400 } };
    const message = buildMessage(accountSid, form);
    this.messages.push(message);
    return { status: 201, result: showMessage(message) };
  }
}

/**
 * Twilio answers the addresses of pages as paths, but its contract says that they are whole
 * addresses.
 */
function withAbsoluteUris(result: object, origin: string): object {
  const members = Object.entries(result).map(([name, value]) =>
    name.endsWith('uri') && typeof value === 'string' ? [name, origin + value] : [name, value],
  );
  return Object.fromEntries(members);
}
