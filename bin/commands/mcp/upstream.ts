import {
  ErrorCode,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { packageVersion } from '../../../shared/platform/package-version.js';
import { causeOf } from '../api-client.js';
import { CliError, EXIT } from '../exit-codes.js';
import { SseParser } from '../listen/sse-parser.js';
import type { McpAccess } from './mcp-access.js';

/** Longer than any call takes, a write that waits for its commit included. */
const TIMEOUT_MS = 60_000;
/** The keys of the newest revision's messages: HTTP wants them in headers too. */
const META_VERSION = 'io.modelcontextprotocol/protocolVersion';

/** What became of a message. */
export interface Outcome {
  /** For the client; undefined: it wants none. */
  answer: JSONRPCMessage | undefined;
  /** What a person should know. */
  trouble?: string;
  /** No message of this key will ever fare better. */
  refusal?: CliError;
}

interface SendOptions {
  signal: AbortSignal;
  onBefore: (message: JSONRPCMessage) => Promise<void>;
}

interface Envelope {
  error?: { code?: string; message?: string; requestId?: string };
}

/** The server behind an address, asked one message at a time and any number of them side by side. */
export class Upstream {
  /** What initialize agreed on. */
  #version: string | undefined;

  constructor(private readonly access: McpAccess) {}

  /**
   * Sends a message; whatever goes wrong is told in the outcome.
   * @param options.signal ends the waiting; it then rejects @param options.onBefore takes what the server says before the answer, as it comes
   */
  async send(message: JSONRPCMessage, { signal, onBefore }: SendOptions): Promise<Outcome> {
    const { url } = this.access;
    let response: Response;
    let text: string;
    try {
      response = await fetch(url, {
        method: 'POST',
        headers: this.#headersOf(message),
        body: JSON.stringify(message),
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      text = isStream(response) ? await lastOf(response, onBefore) : await response.text();
    } catch (error) {
      if (signal.aborted) throw error;
      return failed(message, {
        code: 'server_unreachable',
        text: `The server at ${url} cannot be reached (${causeOf(error)}). Does it run there? Try again when it does; repeat a write with the same idempotency_key.`,
      });
    }
    return this.#outcomeOf(message, response, text);
  }

  #headersOf(message: JSONRPCMessage): Record<string, string> {
    const headers: Record<string, string> = {
      authorization: `Bearer ${this.access.key}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'user-agent': `tow-mcp/${packageVersion()}`,
    };
    const params = 'params' in message ? (message.params ?? {}) : {};
    const own = params._meta?.[META_VERSION];
    const version = typeof own === 'string' ? own : this.#version;
    if (version !== undefined) headers['mcp-protocol-version'] = version;
    if (typeof own === 'string' && 'method' in message) {
      headers['mcp-method'] = message.method;
      const name = params.name ?? params.uri;
      if (typeof name === 'string' && /^[\x21-\x7e]+$/.test(name)) headers['mcp-name'] = name;
    }
    return headers;
  }

  #outcomeOf(message: JSONRPCMessage, { status, ok }: Response, text: string): Outcome {
    const body = parse(text);
    if (!isJSONRPCRequest(message) && ok) return { answer: undefined };
    if (isJSONRPCResultResponse(body) || isErrorResponse(body)) {
      if (!isJSONRPCRequest(message))
        return { answer: undefined, trouble: `The server refused a notification (${status}).` };
      this.#noteVersion(message.method, body);
      // An error that came before the server knew of the message's id.
      return { answer: { ...body, id: message.id } as JSONRPCMessage };
    }
    const { error } = (body ?? {}) as Envelope;
    if (!error?.code) {
      const wrong = `${this.access.url} answers ${status}, and not as an MCP server does. Its address ends in /mcp.`;
      return failed(message, { code: 'no_mcp_server', text: wrong });
    }
    const said = `${error.message} (${status})`;
    const outcome = failed(message, { code: error.code, text: said, requestId: error.requestId });
    if (status !== 401 && error.code !== 'agent_key_required') return outcome;
    const why = `The server refuses the key: ${said}`;
    return { ...outcome, refusal: new CliError('key_refused', why, EXIT.configuration) };
  }

  #noteVersion(method: string, body: object): void {
    if (method !== 'initialize' || !('result' in body)) return;
    const { protocolVersion } = body.result as { protocolVersion?: unknown };
    if (typeof protocolVersion === 'string') this.#version = protocolVersion;
  }
}

/** JSON-RPC's own null for an id that was not known is none of MCP's. */
function isErrorResponse(body: unknown): body is { id: RequestId | null; error: object } {
  if (typeof body !== 'object' || body === null) return false;
  return isJSONRPCErrorResponse({ ...body, id: 0 });
}

function failed(
  message: JSONRPCMessage,
  { code, text, requestId }: { code: string; text: string; requestId?: string | undefined },
): Outcome {
  if (!isJSONRPCRequest(message)) return { answer: undefined, trouble: text };
  const data = { code, ...(requestId ? { requestId } : {}) };
  const error = { code: ErrorCode.ConnectionClosed, message: text, data };
  return { answer: { jsonrpc: '2.0', id: message.id, error }, trouble: text };
}

function isStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') === true;
}

/** The answer that ends a stream. @throws when it breaks off before */
async function lastOf({ body }: Response, onBefore: SendOptions['onBefore']): Promise<string> {
  const parser = new SseParser();
  const decoder = new TextDecoder();
  for await (const chunk of body ?? []) {
    for (const { data } of parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }))) {
      if (data === undefined) continue;
      const message = parse(data);
      if (isJSONRPCRequest(message) || isJSONRPCNotification(message)) await onBefore(message);
      else return data;
    }
  }
  throw new Error('the answer broke off');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
