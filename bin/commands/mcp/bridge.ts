import type { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { CliError, EXIT, reasonOf } from '../exit-codes.js';
import type { Upstream } from './upstream.js';

/** How long answers may still come after a signal. */
const LAST_ANSWERS_MS = 10_000;

interface Surroundings {
  input: NodeJS.ReadableStream;
  stopping: AbortSignal;
  gone: AbortSignal;
}

/** What a client's lines go through: each to the server as it comes, each answer back as it comes. */
export class Bridge {
  readonly #underWay = new Set<Promise<void>>();
  readonly #waiting = new Map<RequestId, AbortController>();
  readonly #over = new AbortController();
  readonly #givenUp = new AbortController();
  #failure: CliError | undefined;

  constructor(
    private readonly client: StdioServerTransport,
    private readonly upstream: Upstream,
    private readonly notice: (text: string) => void,
  ) {}

  /**
   * Runs until the client ends its input, `stopping` is aborted, or the server refuses the key; answers what is under way before it resolves.
   * @param input what the client's transport reads from: that one does not look for its end
   * @param gone aborted when nobody reads answers any more
   * @throws {CliError} `key_refused`, `input_lost`
   */
  async run({ input, stopping, gone }: Surroundings): Promise<void> {
    const { client } = this;
    const end = () => this.#over.abort();
    for (const event of ['end', 'close']) input.once(event, end);
    whenAborted(stopping, () => {
      end();
      setTimeout(() => this.#giveUp(), LAST_ANSWERS_MS).unref();
    });
    whenAborted(gone, () => {
      end();
      this.#giveUp();
    });
    client.onmessage = (message) => this.#take(message);
    client.onerror = (error) => this.notice(`What came is no message of MCP: ${firstLineOf(error)}`);
    client.onclose = () =>
      this.#fail(new CliError('input_lost', 'The input cannot be read on.', EXIT.failed));
    await client.start();
    await aborted(this.#over.signal);
    await Promise.race([Promise.all(this.#underWay), aborted(this.#givenUp.signal)]);
    await client.close();
    if (this.#failure) throw this.#failure;
  }

  #take(message: JSONRPCMessage): void {
    if (this.#over.signal.aborted) return;
    const done = this.#forward(message).finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }

  async #forward(message: JSONRPCMessage): Promise<void> {
    const cancelled = cancelledBy(message);
    // Who cancelled wants no answer any more. The server ignores it: what it has begun, it ends and writes down.
    if (cancelled !== undefined) this.#waiting.get(cancelled)?.abort();
    const waiting = new AbortController();
    const id = isJSONRPCRequest(message) ? message.id : undefined;
    if (id !== undefined) this.#waiting.set(id, waiting);
    try {
      const { signal } = waiting;
      const onBefore = (before: JSONRPCMessage) => this.client.send(before);
      const { answer, trouble, refusal } = await this.upstream.send(message, { signal, onBefore });
      if (trouble && !refusal) this.notice(trouble);
      if (answer && !waiting.signal.aborted) await this.client.send(answer);
      if (refusal) this.#fail(refusal);
    } catch (error) {
      if (!waiting.signal.aborted) this.notice(`A message could not be sent on: ${reasonOf(error)}`);
    } finally {
      if (id !== undefined && this.#waiting.get(id) === waiting) this.#waiting.delete(id);
    }
  }

  /** The first reason to end counts; after the end there is none. */
  #fail(failure: CliError): void {
    if (!this.#over.signal.aborted) this.#failure = failure;
    this.#over.abort();
  }

  #giveUp(): void {
    this.#givenUp.abort();
    for (const waiting of this.#waiting.values()) waiting.abort();
  }
}

function whenAborted(signal: AbortSignal, act: () => void): void {
  if (signal.aborted) act();
  else signal.addEventListener('abort', act, { once: true });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => whenAborted(signal, resolve));
}

function cancelledBy(message: JSONRPCMessage): RequestId | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined;
  return (message as Pick<JSONRPCRequest, 'params'>).params?.requestId as RequestId | undefined;
}

/** The SDK's schemas tell of every form a message may have; the first line is enough for a person. */
function firstLineOf(error: Error): string {
  return error.name === 'ZodError' ? 'no JSON-RPC 2.0.' : reasonOf(error).split('\n', 1)[0] || error.name;
}
