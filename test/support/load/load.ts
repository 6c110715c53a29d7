/**
 * The load for fault injection: clients that retry as clients should, and that record every call.
 */
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';
import type { Json } from '../client.js';
import { findDeviations } from '../openapi-validator.js';
import { eventually } from '../poll.js';
import { IS_SCALED } from '../stores.js';
import type { DeployedTenant } from './deployment.js';

export const CLIENT_COUNT = 16;
/**
 * The time that a client waits for a response. The product's write timeouts are all shorter, so a
 * request without a response by then has been left hanging.
 */
const RESPONSE_TIMEOUT_MS = 15_000;
const THINK_MS = 5;
const RETRY_MS = 200;
/**
 * The number of further acknowledged calls that proves that work continues. The all-in-one product
 * is faster, so it must acknowledge more.
 */
const PROGRESS_CALLS = IS_SCALED ? 200 : 400;
/** A proxy responds 502 if a process ends its connection, for example during an upgrade. */
const RETRIED_STATUSES = [429, 502, 503];

/** An invoice that a client wants to create, and the responses that the client got. */
export interface LoadCall {
  tenant: DeployedTenant;
  key: string;
  body: { invoice_number: string; line_items: unknown[] };
  totalCents: number;
  /**
   * `ok`: a 2xx response with the invoice. `refused`: an error that no retry fixes. `unknown`:
   * neither so far.
   */
  outcome: 'ok' | 'refused' | 'unknown';
  /** The invoice's id, once it is known. */
  id?: string;
  /** When the client got the outcome `ok`, in ms since 1970. */
  succeededAt?: number;
  /**
   * The exact text of the 201 response; undefined if the client got the outcome by polling the
   * operation.
   */
  text?: string;
  /**
   * A text per request with its method and its status or error, such as `POST 503`. After a
   * refusal, the text of the response follows.
   */
  attempts: string[];
}

interface Reply {
  status: number;
  text: string;
  body: Json;
}

export interface LoadOptions {
  /** The addresses of the product. Requests rotate through them, as behind a load balancer. */
  origins: string[];
  /** True if the address is a balancer's, which ends connections for reasons of its own. */
  isBalanced?: boolean;
  tenants: DeployedTenant[];
  clients?: number;
  thinkMs?: number;
}

export class Load {
  readonly calls: LoadCall[] = [];
  /** The deviations of responses from the OpenAPI document. */
  readonly deviations: string[] = [];
  /**
   * The requests that got no response although the product may have received them. Refused
   * connections are not listed.
   */
  readonly unanswered: string[] = [];
  readonly #agent = new Agent({ connections: CLIENT_COUNT * 2, pipelining: 1 });
  readonly #draining = new Set<string>();
  #clients: Promise<void>[] = [];
  /** If true, clients start no new call. */
  #isEnding = false;
  /** Once aborted, clients give up even calls whose outcome is unknown. */
  readonly #giveUp = new AbortController();
  #sent = 0;

  constructor(private readonly options: LoadOptions) {}

  get acknowledgedCount(): number {
    return this.calls.filter(({ outcome }) => outcome === 'ok').length;
  }

  /** The number of calls without an outcome. */
  get waitingCount(): number {
    return this.calls.filter(({ outcome }) => outcome === 'unknown').length;
  }

  start(): this {
    const { clients = CLIENT_COUNT } = this.options;
    this.#clients = Array.from({ length: clients }, (_, client) => this.#work(client));
    return this;
  }

  /** Waits until `by` more calls are acknowledged, which proves that work continues. */
  async waitForCalls(by = PROGRESS_CALLS, timeoutMs = 60_000): Promise<void> {
    const goal = this.acknowledgedCount + by;
    await eventually(`${by} more acknowledged calls`, () => this.acknowledgedCount >= goal, timeoutMs);
  }

  /**
   * Starts no new calls, and lets each client finish its current call with as many retries as the
   * call needs. After `timeoutMs`, the clients give up.
   */
  async stop(timeoutMs = 60_000): Promise<void> {
    this.#isEnding = true;
    const timer = setTimeout(() => this.#giveUp.abort(), timeoutMs);
    await Promise.all(this.#clients).finally(() => clearTimeout(timer));
    await this.#agent.destroy();
  }

  /** Sends no more requests to this address until {@link includeOrigin} is called. */
  excludeOrigin(origin: string): void {
    this.#draining.add(origin);
  }

  /** Sends requests again to an address that was excluded, or that sent "Connection: close". */
  includeOrigin(origin: string): void {
    this.#draining.delete(origin);
  }

  /**
   * Creates a call and adds it to `calls`, but does not send it. Use {@link sendUntilDone} to send
   * it.
   */
  addCall(tenant: DeployedTenant, fields: Record<string, unknown> = {}): LoadCall {
    const call = newCall(tenant, this.calls.length + 1, fields);
    this.calls.push(call);
    return call;
  }

  /**
   * Sends a call until its outcome is known.
   * @param follows true to poll the operation after a 202 response, false to send the call again
   */
  async sendUntilDone(call: LoadCall, { follows = true } = {}): Promise<void> {
    while (call.outcome === 'unknown' && !this.#giveUp.signal.aborted) await this.#attempt(call, { follows });
  }

  /** Sends a call once, without waiting for an outcome. */
  async sendOnce(call: LoadCall): Promise<void> {
    await this.#send(call, { method: 'POST', path: '/invoices', body: call.body });
  }

  /** Polls an operation until it has an outcome. This outcome replaces the call's earlier one. */
  async pollOperation(call: LoadCall, operation: string): Promise<void> {
    call.outcome = 'unknown';
    await this.#pollOperation(call, operation);
  }

  async #work(client: number): Promise<void> {
    const { tenants, thinkMs = THINK_MS } = this.options;
    while (!this.#isEnding) {
      const call = this.addCall(tenants[client % tenants.length] as DeployedTenant);
      // After a 202 response, a client may poll the operation or send its call again. Every fourth
      // client sends again.
      await this.sendUntilDone(call, { follows: client % 4 !== 0 });
      await pause(thinkMs);
    }
  }

  async #attempt(call: LoadCall, { follows }: { follows: boolean }): Promise<void> {
    const reply = await this.#send(call, { method: 'POST', path: '/invoices', body: call.body });
    if (reply?.status === 201) recordSuccess(call, reply.body, reply.text);
    else if (reply?.status === 202 && follows) await this.#pollOperation(call, reply.body.data.operation_id);
    else if (reply && !isRetried(reply)) recordRefusal(call, reply);
    else await pause(RETRY_MS);
  }

  async #pollOperation(call: LoadCall, operation: string): Promise<void> {
    while (call.outcome === 'unknown' && !this.#giveUp.signal.aborted) {
      const reply = await this.#send(call, { method: 'GET', path: `/operations/${operation}` });
      if (reply && reply.status !== 200 && !isRetried(reply)) recordRefusal(call, reply);
      else if (reply?.body.status === 'succeeded') recordSuccess(call, reply.body.result);
      else if (reply?.body.status === 'failed') recordRefusal(call, reply);
      else await pause(RETRY_MS);
    }
  }

  /** Sends one request. Returns undefined if it gets no response. */
  async #send(
    call: LoadCall,
    { method, path, body }: { method: 'GET' | 'POST'; path: string; body?: unknown },
  ): Promise<Reply | undefined> {
    const origin = this.#origin();
    if (!origin) return undefined;
    try {
      const response = await request(`${origin}/v1${path}`, {
        method,
        dispatcher: this.#agent,
        headers: {
          authorization: `Bearer ${call.tenant.key}`,
          ...(body ? { 'content-type': 'application/json', 'idempotency-key': call.key } : {}),
        },
        body: body ? JSON.stringify(body) : null,
        signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
      });
      const { statusCode: status, headers } = response;
      if (headers.connection === 'close' && !this.options.isBalanced) this.#draining.add(origin);
      const reply = parseReply(status, await response.body.text());
      // Record the error message, so that a failed test shows which of the product's 503 responses
      // this was.
      const why = status >= 500 ? `: ${reply.body.error?.message}` : '';
      call.attempts.push(`${method} ${status}${why}`);
      if (status !== 502)
        this.deviations.push(...findDeviations({ method, path, status, headers, body: reply.body }));
      return reply;
    } catch (error) {
      const reason = describeError(error);
      call.attempts.push(`${method} ${reason}`);
      // If the connection was refused, the product cannot have received the request. After any
      // other error, the product may have received it.
      if (!/ECONNREFUSED/.test(reason)) this.unanswered.push(`${origin} ${method} ${path}: ${reason}`);
      return undefined;
    }
  }

  /**
   * Returns the next address in rotation. Returns undefined if every address is excluded or has
   * sent "Connection: close".
   */
  #origin(): string | undefined {
    const open = this.options.origins.filter((origin) => !this.#draining.has(origin));
    this.#sent += 1;
    return open[this.#sent % open.length];
  }

  /** Sends an acknowledged call once more, and returns the response without recording it. */
  async resend(call: LoadCall): Promise<Reply | undefined> {
    const agent = new Agent();
    const response = await request(`${this.options.origins[0]}/v1/invoices`, {
      method: 'POST',
      dispatcher: agent,
      headers: {
        authorization: `Bearer ${call.tenant.key}`,
        'content-type': 'application/json',
        'idempotency-key': call.key,
      },
      body: JSON.stringify(call.body),
    });
    return parseReply(response.statusCode, await response.body.text().finally(() => agent.close()));
  }
}

function newCall(tenant: DeployedTenant, nth: number, fields: Record<string, unknown>): LoadCall {
  const totalCents = 1000 + nth;
  const lineItem = { name: 'Tow', category: 'tow', quantity: 1, unit_type: 'each', taxable: false };
  return {
    tenant,
    key: randomUUID(),
    body: {
      ...fields,
      invoice_number: `L-${nth}`,
      line_items: [{ ...lineItem, unit_price_cents: totalCents, total_cents: totalCents }],
    },
    totalCents,
    outcome: 'unknown',
    attempts: [],
  };
}

function recordSuccess(call: LoadCall, invoice: { id: string }, text?: string): void {
  call.outcome = 'ok';
  call.succeededAt = Date.now();
  call.id = invoice.id;
  if (text !== undefined) call.text = text;
}

function recordRefusal(call: LoadCall, reply: Reply): void {
  call.outcome = 'refused';
  call.attempts.push(reply.text);
}

function isRetried({ status, body }: Reply): boolean {
  return (
    status === 202 || RETRIED_STATUSES.includes(status) || body?.error?.code === 'idempotency_in_progress'
  );
}

function parseReply(status: number, text: string): Reply {
  // A 502 is the proxy's own page.
  return { status, text, body: status === 502 ? {} : JSON.parse(text) };
}

function describeError(error: unknown): string {
  const { name, code, message } = error as NodeJS.ErrnoException;
  return `${name} ${code ?? ''} ${message}`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
