import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '../../support/client.js';
import { eventually } from '../../support/poll.js';
import type { ClientCall } from './client-call.js';

const RETRY_MS = 200;
export const RESPONSE_TIMEOUT_MS = 15_000;
/** A client that gets no success within this time gives up. */
const GIVE_UP_MS = 120_000;

/**
 * Tries a call once. Returns whether the client has what it wanted.
 * @param until when the client gives up, in ms since 1970
 */
export type Attempt = (until: number) => Promise<boolean>;

/** Clients that make one call after the other, each with as many tries as it needs. */
export abstract class RepeatingClients {
  readonly calls: ClientCall[] = [];
  #clients: Promise<void>[] = [];
  #isEnding = false;

  constructor(
    private readonly clients: number,
    private readonly thinkMs: number,
    private readonly giveUpMs = GIVE_UP_MS,
  ) {}

  /** Chooses the next call of a client. */
  protected abstract begin(): Attempt;

  start(): this {
    this.#clients = Array.from({ length: this.clients }, () => this.#work());
    return this;
  }

  /** Waits until `by` more calls have succeeded. */
  async waitForCalls(by: number): Promise<void> {
    const count = () => this.calls.filter(({ succeededAt }) => succeededAt).length;
    const goal = count() + by;
    await eventually(`${by} more successful calls`, () => count() >= goal, GIVE_UP_MS);
  }

  /** Lets each client finish its current call. */
  async stop(): Promise<void> {
    this.#isEnding = true;
    await Promise.all(this.#clients);
  }

  async #work(): Promise<void> {
    while (!this.#isEnding) {
      const attempt = this.begin();
      const call: ClientCall = { tries: 0 };
      this.calls.push(call);
      const until = Date.now() + this.giveUpMs;
      while (!call.succeededAt && Date.now() < until) {
        call.tries += 1;
        if (await attempt(until)) call.succeededAt = Date.now();
        else await sleep(RETRY_MS);
      }
      await sleep(this.thinkMs);
    }
  }
}

/** Sends a request. Returns undefined if a client should send it again. */
export async function send(
  url: string,
  key: string,
  { headers, ...init }: RequestInit & { headers?: Record<string, string> } = {},
): Promise<{ status: number; body: Json } | undefined> {
  try {
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${key}`, ...headers },
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
      ...init,
    });
    const text = await response.text();
    return response.status >= 500 ? undefined : { status: response.status, body: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
