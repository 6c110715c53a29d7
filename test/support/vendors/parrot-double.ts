import { createHash, createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Fault } from './contracts/fault.js';
import type { ParrotText } from './parrot/mapper.js';

/** A text that Parrot sent to a phone. */
export interface SentText extends ParrotText {
  to: string;
  body: string;
  key: string;
  at: number;
}

const PAGE = 5;

/** How many doubles this process has created. */
let doubles = 0;

/**
 * Stands in for the server of Parrot, the made-up vendor. It keeps texts and tokens in memory,
 * checks every request, and misbehaves if a test wants that. {@link ParrotServer} receives the
 * requests and passes them on.
 */
export class ParrotDouble {
  readonly texts: SentText[] = [];
  /** The requests that Parrot's documentation does not allow. */
  readonly violations: string[] = [];
  readonly requests: { name: string; query: string; at: number }[] = [];
  /**
   * Called for each request. If the function returns a fault, the server misbehaves in that way.
   */
  misbehave: (name: string) => Fault | undefined = () => undefined;
  mode: 'live' | 'sandbox' = 'live';
  account = `acct-${++doubles}`;
  /** Maps access tokens and keys to accounts. All other tokens and keys belong to `account`. */
  readonly accounts = new Map<string, string>();
  /** If true, the server gives each new text the id of the text before it. */
  repeatsLastId = false;
  /**
   * The value of a parameter in the URL to which the sign-in page sends the browser back. The
   * product must store the value unchanged.
   */
  aviary = 'aviary-7';
  lifetimeSeconds = 3600;
  /** All codes and tokens that the server has issued. */
  readonly issued: string[] = [];
  grants = 0;
  refusedGrants = 0;
  isRevoked = false;
  #seq = 0;
  readonly #codes = new Map<string, string>();
  readonly #accessTokens = new Set<string>();
  /** The unused refresh tokens, one of each sign-in. */
  readonly #refreshTokens = new Set<string>();
  readonly #keys = new Map<string, SentText>();
  /**
   * Grants access as a person would on the vendor's sign-in page. Returns the URL to which this
   * page sends the browser back.
   */
  permit(authorizeUrl: string): URL {
    const { searchParams: params, pathname } = new URL(authorizeUrl);
    if (pathname !== '/oauth/authorize' || params.get('code_challenge_method') !== 'S256')
      this.violations.push(`sign-in page: ${authorizeUrl}`);
    const code = randomUUID();
    this.issued.push(code);
    this.#codes.set(code, params.get('code_challenge') ?? '');
    const back = new URL(params.get('redirect_uri') ?? '');
    back.searchParams.set('code', code);
    back.searchParams.set('state', params.get('state') ?? '');
    back.searchParams.set('aviary', this.aviary);
    return back;
  }

  expireTokens(): void {
    this.#accessTokens.clear();
  }

  /** Makes the server refuse all refresh tokens, as if another client had used them. */
  loseRefreshTokens(): void {
    this.#refreshTokens.clear();
  }

  /**
   * Texts that the next page contains in addition to the sent texts. A real vendor may list a text
   * once for each of its changes.
   */
  extraTexts: ParrotText[] = [];

  /** Sets the state of a text, as the phone network reports it. */
  settle(text: SentText, status: 'delivered' | 'failed', reason: string | null = null): void {
    Object.assign(text, { status, reason, seq: ++this.#seq });
  }

  acceptKey(key: string): void {
    this.#accessTokens.add(key);
  }

  /**
   * @param events the items of the webhook; an item that names no account belongs to `this.account`
   */
  buildWebhook(events: { id: string; account?: string }[], secret: string) {
    const body = JSON.stringify({ account: this.account, events });
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    return {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-parrot-signature': signature },
      body,
    };
  }

  serve(request: IncomingMessage, response: ServerResponse): void {
    this.#serve(request, response).catch((error: unknown) => {
      this.violations.push(String(error));
      response.destroy();
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
    const name = `${request.method} ${pathname}`;
    this.requests.push({ name, query: search, at: Date.now() });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    const fault = this.misbehave(name);
    if (fault?.kind === 'slow') await new Promise((resolve) => setTimeout(resolve, fault.ms));
    if (fault?.kind === 'cut_before') return void response.destroy();
    if (fault?.kind === 'limit')
      return answer(response, 429, { error: 'slow_down' }, { 'retry-after': `${fault.seconds}` });
    if (fault?.kind === 'status') return answer(response, fault.status, fault.body ?? { error: 'oops' });
    const [status, result] = this.#handle(name, { request, body, searchParams });
    if (fault?.kind === 'cut_after') return void response.destroy();
    if (fault?.kind === 'hold') await fault.until;
    answer(response, status, result);
  }

  #handle(
    name: string,
    {
      request,
      body,
      searchParams,
    }: { request: IncomingMessage; body: string; searchParams: URLSearchParams },
  ): [number, object] {
    if (name === 'POST /oauth/token') return this.#grant(new URLSearchParams(body));
    if (name === 'POST /oauth/revoke') {
      this.isRevoked = true;
      this.#accessTokens.clear();
      return [200, {}];
    }
    const [scheme, token = ''] = (request.headers.authorization ?? '').split(' ');
    if (scheme !== 'Bearer' || !this.#accessTokens.has(token)) return [401, { error: 'bad_token' }];
    const aviary = searchParams.get('aviary');
    if (name === 'GET /account' && aviary !== null && aviary !== this.aviary)
      this.violations.push(`aviary ${aviary}`);
    if (name === 'GET /account')
      return [
        200,
        { id: this.accounts.get(token) ?? this.account, name: 'Parrot of Hudson', mode: this.mode },
      ];
    if (name === 'POST /texts') return this.#send(request, body);
    if (name === 'GET /texts/sent') {
      const sent = this.#keys.get(searchParams.get('key') ?? '');
      return [200, { texts: sent ? [show(sent)] : [], next: '0', more: false }];
    }
    if (name === 'GET /texts') return this.#list(searchParams);
    this.violations.push(name);
    return [404, { error: 'no_such_path' }];
  }

  #grant(params: URLSearchParams): [number, object] {
    const isCode = params.get('grant_type') === 'authorization_code';
    const verifier = params.get('code_verifier') ?? '';
    const challenge = this.#codes.get(params.get('code') ?? '');
    const isGranted = isCode
      ? challenge !== undefined && challenge === createHash('sha256').update(verifier).digest('base64url')
      : this.#refreshTokens.delete(params.get('refresh_token') ?? '');
    if (!isGranted) {
      this.refusedGrants += 1;
      // A refused code or token may have been stolen. The server then revokes all access, as
      // careful vendors do.
      this.#refreshTokens.clear();
      this.#accessTokens.clear();
      return [400, { error: 'invalid_grant' }];
    }
    this.#codes.delete(params.get('code') ?? '');
    this.grants += 1;
    const access_token = randomUUID();
    this.#accessTokens.add(access_token);
    const refresh_token = randomUUID();
    this.#refreshTokens.add(refresh_token);
    this.issued.push(access_token, refresh_token);
    return [200, { access_token, refresh_token, expires_in: this.lifetimeSeconds }];
  }

  #send(request: IncomingMessage, text: string): [number, object] {
    const key = String(request.headers['idempotency-key'] ?? '');
    const body = JSON.parse(text) as Record<string, string>;
    const isValid = key.length === 36 && Object.keys(body).sort().join() === 'body,from,to';
    if (!isValid) this.violations.push(`POST /texts ${text}`);
    const known = this.#keys.get(key);
    if (known) {
      if (known.to !== body.to || known.body !== body.body) this.violations.push(`another text under ${key}`);
      return [200, show(known)];
    }
    if (body.to?.endsWith('0000')) return [422, { error: 'unknown_number' }];
    const lastId = this.repeatsLastId ? this.texts.at(-1)?.id : undefined;
    const sent: SentText = {
      id: lastId ?? randomUUID(),
      status: 'queued',
      reason: null,
      seq: ++this.#seq,
      to: body.to ?? '',
      body: body.body ?? '',
      key,
      at: Date.now(),
    };
    this.texts.push(sent);
    this.#keys.set(key, sent);
    return [201, show(sent)];
  }

  #list(params: URLSearchParams): [number, object] {
    const after = params.has('since') ? 0 : Number(params.get('after'));
    const found = this.texts.filter(({ seq }) => seq > after).sort((a, b) => a.seq - b.seq);
    const page = found.slice(0, PAGE);
    const next = String(page.at(-1)?.seq ?? after);
    return [
      200,
      { texts: [...page.map(show), ...this.extraTexts.splice(0)], next, more: found.length > page.length },
    ];
  }
}

/**
 * A server on loopback that passes its requests to the current double. Tests replace the double.
 */
export class ParrotServer {
  double = new ParrotDouble();
  origin = '';
  readonly #server = createServer((request, response) => this.double.serve(request, response));

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.origin = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function show({ id, status, reason, seq }: SentText): ParrotText {
  return { id, status, reason, seq };
}

function answer(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'x-request-id': randomUUID(),
    ...headers,
  });
  response.end(JSON.stringify(body));
}
