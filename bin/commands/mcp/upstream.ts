import {
  ErrorCode,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { readPackageVersion } from '../../../shared/platform/files/package-version.js';
import { describeCause } from '../../cli/api-client.js';
import { CliError, EXIT } from '../../cli/exit-codes.js';
import { SseParser } from '../../cli/sse-parser.js';
import type { McpAccess } from './mcp-access.js';

/**
 * A call must end within this time. Even the slowest call, a write that waits for its commit, takes
 * less.
 */
const TIMEOUT_MS = 60_000;
/**
 * Member of `_meta` that contains the protocol version in the newest revision of MCP. Over HTTP, a
 * header must repeat the version.
 */
const META_VERSION = 'io.modelcontextprotocol/protocolVersion';

export interface SendOutcome {
  /** Undefined if the client expects no response. */
  response: JSONRPCMessage | undefined;
  /** A problem to show to a person. */
  problem?: string;
  /** Set if the server refuses the key, so that every further MCP message would fail too. */
  refusal?: CliError;
}

interface SendOptions {
  signal: AbortSignal;
  onInterimMessage: (message: JSONRPCMessage) => Promise<void>;
}

interface Envelope {
  error?: { code?: string; message?: string; requestId?: string };
}

/** Sends each MCP message to the server as one HTTP request. Requests may run concurrently. */
export class UpstreamClient {
  /** The protocol version agreed on in `initialize`. */
  #version: string | undefined;

  constructor(private readonly access: McpAccess) {}

  /**
   * Sends an MCP message. Resolves with the outcome, which may be a failure.
   * @param options.signal aborts the request; the promise then rejects
   * @param options.onInterimMessage receives each MCP message that the server sends before the
   * response
   */
  async send(message: JSONRPCMessage, { signal, onInterimMessage }: SendOptions): Promise<SendOutcome> {
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
      text = isStream(response) ? await readFinalMessage(response, onInterimMessage) : await response.text();
    } catch (error) {
      if (signal.aborted) throw error;
      return toFailedOutcome(message, {
        code: 'server_unreachable',
        text: `The server at ${url} cannot be reached (${describeCause(error)}). Is it running there? Try again when it is; repeat a write with the same idempotency_key.`,
      });
    }
    return this.#outcomeOf(message, response, text);
  }

  #headersOf(message: JSONRPCMessage): Record<string, string> {
    const headers: Record<string, string> = {
      authorization: `Bearer ${this.access.key}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'user-agent': `tow-mcp/${readPackageVersion()}`,
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

  #outcomeOf(message: JSONRPCMessage, { status, ok }: Response, text: string): SendOutcome {
    const body = parse(text);
    if (!isJSONRPCRequest(message) && ok) return { response: undefined };
    if (isJSONRPCResultResponse(body) || isErrorResponse(body)) {
      if (!isJSONRPCRequest(message))
        return { response: undefined, problem: `The server refused a notification (${status}).` };
      this.#noteVersion(message.method, body);
      // Set the id: an error that the server sent before it parsed the MCP message has no id.
      return { response: { ...body, id: message.id } as JSONRPCMessage };
    }
    const { error } = (body ?? {}) as Envelope;
    if (!error?.code) {
      const wrong = `${this.access.url} answered ${status}, but not as an MCP server. The server's URL ends in /mcp.`;
      return toFailedOutcome(message, { code: 'no_mcp_server', text: wrong });
    }
    const problem = `${error.message} (${status})`;
    const outcome = toFailedOutcome(message, { code: error.code, text: problem, requestId: error.requestId });
    if (status !== 401 && error.code !== 'agent_key_required') return outcome;
    const why = `The server refuses the key: ${problem}`;
    return { ...outcome, refusal: new CliError('key_refused', why, EXIT.configuration) };
  }

  #noteVersion(method: string, body: object): void {
    if (method !== 'initialize' || !('result' in body)) return;
    const { protocolVersion } = body.result as { protocolVersion?: unknown };
    if (typeof protocolVersion === 'string') this.#version = protocolVersion;
  }
}

/**
 * True for an error response, even if its id is null. JSON-RPC allows a null id, but the SDK's
 * check refuses it. So this function checks the response with the id 0 instead.
 */
function isErrorResponse(body: unknown): body is { id: RequestId | null; error: object } {
  if (typeof body !== 'object' || body === null) return false;
  return isJSONRPCErrorResponse({ ...body, id: 0 });
}

function toFailedOutcome(
  message: JSONRPCMessage,
  { code, text, requestId }: { code: string; text: string; requestId?: string | undefined },
): SendOutcome {
  if (!isJSONRPCRequest(message)) return { response: undefined, problem: text };
  const data = { code, ...(requestId ? { requestId } : {}) };
  const error = { code: ErrorCode.ConnectionClosed, message: text, data };
  return { response: { jsonrpc: '2.0', id: message.id, error }, problem: text };
}

function isStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') === true;
}

/**
 * Resolves with the text of the response. Calls `onInterimMessage` with each MCP message that
 * arrives before the response.
 * @throws if the stream breaks off before the response
 */
async function readFinalMessage(
  { body }: Response,
  onInterimMessage: SendOptions['onInterimMessage'],
): Promise<string> {
  const parser = new SseParser();
  const decoder = new TextDecoder();
  for await (const chunk of body ?? []) {
    for (const { data } of parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }))) {
      if (data === undefined) continue;
      const message = parse(data);
      if (isJSONRPCRequest(message) || isJSONRPCNotification(message)) await onInterimMessage(message);
      else return data;
    }
  }
  throw new Error('the response broke off');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
