import { createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ContractCheck } from '../contracts/contract-check.js';
import { decodeForm } from '../contracts/decode-form.js';
import type { Fault } from '../contracts/fault.js';

/** A text that the double has sent, as Twilio's API returns it. */
export interface SentMessage {
  sid: string;
  account_sid: string;
  to: string;
  from: string;
  body: string;
  status: string;
  error_code: number | null;
  error_message: string | null;
  date_created: string;
  callback: string;
}

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
 * Stands in for Twilio's API, over HTTP on loopback. It keeps texts in memory, checks every request
 * and answer against Twilio's contract, and misbehaves if a test wants that.
 */
export class TwilioDouble {
  readonly messages: SentMessage[] = [];
  readonly violations: string[] = [];
  readonly calls: { name: string; at: number }[] = [];
  /** Called for each request. If the function returns a fault, the double misbehaves that way. */
  misbehave: (name: string) => Fault | undefined = () => undefined;
  origin = '';
  /** The auth tokens by account. */
  private readonly accounts = new Map<string, string>();
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
  }

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

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.origin);
    const { method = '' } = request;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    const name = `${method} ${url.pathname.split('/').at(-1)}`;
    this.calls.push({ name, at: Date.now() });
    const fault = this.misbehave(name);
    if (fault?.kind === 'slow') await new Promise((resolve) => setTimeout(resolve, fault.ms));
    if (fault?.kind === 'cut_before') return void response.destroy();
    if (fault?.kind === 'limit')
      return send(response, 429, { code: 20429, message: 'Too Many Requests', status: 429 });
    if (fault?.kind === 'status') return send(response, fault.status, fault.body ?? { message: 'Oops' });
    const { status, result } = this.answer(request, url, body);
    if (fault?.kind === 'cut_after') return void response.destroy();
    if (fault?.kind === 'hold') await fault.until;
    send(response, status, result);
  }

  private answer(request: IncomingMessage, url: URL, body: string): { status: number; result: object } {
    const { method = '' } = request;
    const [, , , account = '', ...rest] = url.pathname.split('/');
    const accountSid = account.replace('.json', '');
    const [scheme, encoded = ''] = String(request.headers.authorization ?? '').split(' ');
    const expected = `${accountSid}:${this.accounts.get(accountSid)}`;
    if (scheme !== 'Basic' || Buffer.from(encoded, 'base64').toString() !== expected)
      return { status: 401, result: { code: 20003, message: 'Authenticate', status: 401 } };
    const form = decodeForm(method === 'GET' ? url.search.slice(1) : body) as Record<string, string>;
    const call = { method, path: url.pathname, ...(method === 'GET' ? { query: form } : { body: form }) };
    const faults = this.contract?.checkRequest(call) ?? [];
    this.violations.push(...faults.map((fault) => `${method} ${url.pathname}: ${fault}`));
    const { status, result } = this.run(method, rest.join('/'), { accountSid, form });
    if (status < 300) {
      const wrong = this.contract?.checkResponse({ ...call, body: result }, status) ?? [];
      this.violations.push(...wrong.map((fault) => `answer to ${method} ${url.pathname}: ${fault}`));
    }
    return { status, result };
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
    if (method === 'GET' && path === 'Messages.json') {
      const found = own.filter(({ to }) => form.To === undefined || form.To === to).reverse();
      return {
        status: 200,
        result: { messages: found.map(show), next_page_uri: null, page: 0, page_size: 100 },
      };
    }
    const sid = /^Messages\/(\w+)\.json$/.exec(path)?.[1];
    const found = own.find((message) => message.sid === sid);
    if (method === 'GET' && found) return { status: 200, result: show(found) };
    return {
      status: 404,
      result: { code: 20404, message: 'The requested resource was not found', status: 404 },
    };
  }

  private create(accountSid: string, form: Record<string, string>): { status: number; result: object } {
    const { To: to = '', From, MessagingServiceSid, Body: body = '', StatusCallback: callback = '' } = form;
    const refusal = REFUSED_NUMBERS[to];
    if (refusal)
      return { status: 400, result: { ...refusal, more_info: 'https://www.twilio.com/docs', status: 400 } };
    const message: SentMessage = {
      sid: `SM${token()}`,
      account_sid: accountSid,
      to,
      from: From ?? MessagingServiceSid ?? '',
      body,
      status: 'queued',
      error_code: null,
      error_message: null,
      date_created: new Date().toUTCString().replace('GMT', '+0000'),
      callback,
    };
    this.messages.push(message);
    return { status: 201, result: show(message) };
  }
}

function show({ callback: _callback, ...message }: SentMessage): object {
  return {
    ...message,
    direction: 'outbound-api',
    num_segments: '1',
    num_media: '0',
    api_version: '2010-04-01',
  };
}

function token(): string {
  return randomBytes(16).toString('hex');
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'twilio-request-id': `RQ${token()}` });
  response.end(JSON.stringify(body));
}
