/**
 * Sends an MCP message to /mcp, and reads the HTTP response while it arrives. The response contains
 * either one JSON-RPC response, or a stream of MCP messages that ends with the JSON-RPC response.
 */
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import type { Json } from '../client.js';
import { eventually } from '../poll.js';

export interface McpStreamOptions {
  origin: string;
  key: string;
  message: Json;
  headers?: Record<string, string>;
}

export class McpStream {
  /** The HTTP response; undefined until its headers have arrived. */
  response: IncomingMessage | undefined;
  hasEnded = false;
  text = '';
  readonly #request: ClientRequest;

  constructor({ origin, key, message, headers = {} }: McpStreamOptions) {
    this.#request = httpRequest(`${origin}/mcp`, {
      method: 'POST',
      agent: false,
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        authorization: `Bearer ${key}`,
        ...headers,
      },
    });
    this.#request.on('error', () => undefined);
    this.#request.once('response', (response) => {
      this.response = response;
      response.on('error', () => undefined);
      response.setEncoding('utf8').on('data', (chunk: string) => {
        this.text += chunk;
      });
      response.once('end', () => {
        this.hasEnded = true;
      });
    });
    this.#request.end(JSON.stringify(message));
  }

  /** Sends a `tools/call` request whose JSON-RPC id is `call`. */
  static call(
    { origin, key, headers }: Omit<McpStreamOptions, 'message'>,
    params: { name: string; arguments?: Json; _meta?: Json },
  ): McpStream {
    const message = {
      jsonrpc: '2.0',
      id: 'call',
      method: 'tools/call',
      params: { arguments: {}, ...params },
    };
    return new McpStream({ origin, key, message, ...(headers ? { headers } : {}) });
  }

  get isStream(): boolean {
    return this.response?.headers['content-type'] === 'text/event-stream';
  }

  get messages(): Json[] {
    if (!this.isStream) return this.hasEnded ? [JSON.parse(this.text)] : [];
    const blocks = this.text.split('\n\n').slice(0, -1);
    return blocks.map((block) => JSON.parse(/^event: message\ndata: (.*)$/.exec(block)?.[1] as string));
  }

  async waitForMessages(count: number): Promise<Json[]> {
    return eventually(`${count} messages`, () => this.messages.length >= count && this.messages);
  }

  /**
   * Waits for the end of the HTTP response. Returns all MCP messages; the last is the JSON-RPC
   * response.
   */
  async waitForEnd(): Promise<Json[]> {
    await eventually('the end of the response', () => this.hasEnded);
    return this.messages;
  }

  /** Stops reading the response until {@link resumeReading} is called. */
  pauseReading(): void {
    this.response?.pause();
  }

  resumeReading(): void {
    this.response?.resume();
  }

  disconnect(): void {
    this.#request.destroy();
  }
}
