/** Sends requests to /mcp that no official MCP client would send. */
import { once } from 'node:events';
import { request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { TestResponse } from '../client.js';

export interface RawOptions {
  method?: string;
  path?: string;
  key?: string | null;
  /**
   * HTTP headers that replace or extend the default ones. An undefined value removes the header.
   */
  headers?: Record<string, string | undefined>;
  /** A string or a Buffer is sent unchanged, any other value as JSON. */
  body?: unknown;
}

export class RawMcp {
  constructor(
    readonly origin: string,
    readonly key: string,
  ) {}

  /** Sends one request. `headers` can replace every header, including Host and Origin. */
  async send({
    method = 'POST',
    path = '/mcp',
    key = this.key,
    headers = {},
    body,
  }: RawOptions): Promise<TestResponse> {
    const allHeaders: Record<string, string | undefined> = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(key ? { authorization: `Bearer ${key}` } : {}),
      ...headers,
    };
    const present = Object.entries(allHeaders).filter(([, value]) => value !== undefined);
    const request = httpRequest(`${this.origin}${path}`, {
      method,
      headers: Object.fromEntries(present) as OutgoingHttpHeaders,
      agent: false,
    });
    request.end(toPayload(body));
    const [response] = await once(request, 'response');
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    return { status: response.statusCode, headers: response.headers, text, body: text && JSON.parse(text) };
  }

  /** Sends a JSON-RPC request, by default with the id 1. */
  request(method: string, params: object = {}, { id = 1, ...options }: RawOptions & { id?: unknown } = {}) {
    return this.send({ ...options, body: { jsonrpc: '2.0', id, method, params } });
  }

  call(
    name: string,
    args: Record<string, unknown> = {},
    { meta, ...options }: RawOptions & { id?: unknown; meta?: Record<string, unknown> } = {},
  ) {
    return this.request('tools/call', { name, arguments: args, ...(meta ? { _meta: meta } : {}) }, options);
  }

  /** Opens a TCP connection, and sends no bytes. */
  async openSocket(): Promise<Socket> {
    const { hostname, port } = new URL(this.origin);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return socket;
  }

  /** Returns the head of an HTTP POST request whose Content-Length is `bytes`. */
  buildHead(bytes: number): string {
    const { host } = new URL(this.origin);
    const lines = ['POST /mcp HTTP/1.1', `Host: ${host}`, `Authorization: Bearer ${this.key}`];
    lines.push('Content-Type: application/json', `Content-Length: ${bytes}`);
    return `${lines.join('\r\n')}\r\n\r\n`;
  }
}

function toPayload(body: unknown): string | Buffer | undefined {
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) return body;
  return JSON.stringify(body);
}
