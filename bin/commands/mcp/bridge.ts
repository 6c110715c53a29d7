import type { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { CliError, describeReason, EXIT } from '../../cli/exit-codes.js';
import type { UpstreamClient } from './upstream.js';

/** After SIGINT or SIGTERM, the bridge waits this long for the responses to pending requests. */
const LAST_RESPONSES_MS = 10_000;

interface BridgeOptions {
  input: NodeJS.ReadableStream;
  stopping: AbortSignal;
  clientGone: AbortSignal;
}

/** Forwards MCP messages between a client on stdio and the server, each as soon as it arrives. */
export class StdioBridge {
  readonly #forwarding = new Set<Promise<void>>();
  readonly #pending = new Map<RequestId, AbortController>();
  readonly #ended = new AbortController();
  readonly #abandoned = new AbortController();
  #failure: CliError | undefined;

  constructor(
    private readonly client: StdioServerTransport,
    private readonly upstream: UpstreamClient,
    private readonly printStatus: (text: string) => void,
  ) {}

  /**
   * Runs until one of these happens: the client ends its input or stops reading, `stopping` is
   * aborted, or the server refuses the key. Then delivers the responses to pending requests, if the
   * client still reads. If `stopping` was aborted, the delivery takes at most 10 s.
   * @param options.input the client's stream; the bridge watches for its end, because the transport
   *   does not
   * @param options.clientGone aborted when the client no longer reads responses
   * @throws {CliError} `key_refused`, `input_lost`
   */
  async run({ input, stopping, clientGone }: BridgeOptions): Promise<void> {
    const { client } = this;
    const end = () => this.#ended.abort();
    for (const event of ['end', 'close']) input.once(event, end);
    onAbort(stopping, () => {
      end();
      setTimeout(() => this.#abandonPending(), LAST_RESPONSES_MS).unref();
    });
    onAbort(clientGone, () => {
      end();
      this.#abandonPending();
    });
    client.onmessage = (message) => this.#startForwarding(message);
    client.onerror = (error) =>
      this.printStatus(`The client sent something that is not an MCP message: ${shortenError(error)}`);
    client.onclose = () =>
      this.#fail(new CliError('input_lost', 'The input can no longer be read.', EXIT.failed));
    await client.start();
    await waitForAbort(this.#ended.signal);
    await Promise.race([Promise.all(this.#forwarding), waitForAbort(this.#abandoned.signal)]);
    await client.close();
    if (this.#failure) throw this.#failure;
  }

  #startForwarding(message: JSONRPCMessage): void {
    if (this.#ended.signal.aborted) return;
    const done = this.#forward(message).finally(() => this.#forwarding.delete(done));
    this.#forwarding.add(done);
  }

  async #forward(message: JSONRPCMessage): Promise<void> {
    const cancelled = findCancelledId(message);
    // Drop the response to a cancelled request, because the client no longer wants the response.
    // The server ignores the cancellation: it finishes the call and records it.
    if (cancelled !== undefined) this.#pending.get(cancelled)?.abort();
    const waiting = new AbortController();
    const id = isJSONRPCRequest(message) ? message.id : undefined;
    if (id !== undefined) this.#pending.set(id, waiting);
    try {
      const { signal } = waiting;
      const onInterimMessage = (interim: JSONRPCMessage) => this.client.send(interim);
      const { response, problem, refusal } = await this.upstream.send(message, { signal, onInterimMessage });
      if (problem && !refusal) this.printStatus(problem);
      if (response && !waiting.signal.aborted) await this.client.send(response);
      if (refusal) this.#fail(refusal);
    } catch (error) {
      if (!waiting.signal.aborted)
        this.printStatus(`An MCP message could not be forwarded: ${describeReason(error)}`);
    } finally {
      if (id !== undefined && this.#pending.get(id) === waiting) this.#pending.delete(id);
    }
  }

  /** Ends the bridge with an error. Does nothing if the bridge has ended already. */
  #fail(failure: CliError): void {
    if (!this.#ended.signal.aborted) this.#failure = failure;
    this.#ended.abort();
  }

  #abandonPending(): void {
    this.#abandoned.abort();
    for (const waiting of this.#pending.values()) waiting.abort();
  }
}

function onAbort(signal: AbortSignal, act: () => void): void {
  if (signal.aborted) act();
  else signal.addEventListener('abort', act, { once: true });
}

function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => onAbort(signal, resolve));
}

function findCancelledId(message: JSONRPCMessage): RequestId | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined;
  return (message as Pick<JSONRPCRequest, 'params'>).params?.requestId as RequestId | undefined;
}

/**
 * Returns one line for people. The SDK's schema errors are too long, because they list every form
 * that an MCP message may have.
 */
function shortenError(error: Error): string {
  return error.name === 'ZodError'
    ? 'not JSON-RPC 2.0.'
    : describeReason(error).split('\n', 1)[0] || error.name;
}
