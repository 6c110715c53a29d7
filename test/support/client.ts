import { expect } from 'chai';
import { Agent, request } from 'undici';
import { findDeviations } from './openapi-validator.js';

/** Parsed JSON whose members a test reads by name. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever members it expects.
export type Json = any;

export interface TestResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  body: Json;
}

export interface CallOptions {
  body?: unknown;
  /** Bytes to send unchanged, instead of `body` as JSON. */
  raw?: string | Buffer;
  headers?: Record<string, string>;
  key?: string | null;
}

const agent = new Agent({ connections: 256, pipelining: 1 });

/** Calls the API over a real socket, and checks every response against the OpenAPI document. */
export class TestClient {
  constructor(
    readonly origin: string,
    readonly key: string,
    readonly prefix = '/v1',
    /** HTTP headers that the client sends with every request. */
    readonly defaultHeaders: Record<string, string> = {},
  ) {}

  get(path: string, options: CallOptions = {}): Promise<TestResponse> {
    return this.call('GET', path, options);
  }

  post(path: string, body?: unknown, options: CallOptions = {}): Promise<TestResponse> {
    return this.call('POST', path, { body, ...options });
  }

  patch(path: string, body?: unknown, options: CallOptions = {}): Promise<TestResponse> {
    return this.call('PATCH', path, { body, ...options });
  }

  delete(path: string, options: CallOptions = {}): Promise<TestResponse> {
    return this.call('DELETE', path, options);
  }

  async call(method: string, path: string, options: CallOptions = {}): Promise<TestResponse> {
    const response = await this.send(method, path, options);
    const [bare = ''] = path.split('?');
    const exchange = {
      method,
      path: bare,
      status: response.status,
      headers: response.headers,
      body: response.body,
    };
    const deviations = findDeviations(exchange);
    expect(deviations, `${method} ${path} against openapi.json: ${deviations.join('; ')}`).to.deep.equal([]);
    return response;
  }

  /** Like {@link call}, but does not check the response against the OpenAPI document. */
  async send(method: string, path: string, options: CallOptions = {}): Promise<TestResponse> {
    const key = options.key === undefined ? this.key : options.key;
    const payload = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    const response = await request(`${this.origin}${this.prefix}${path}`, {
      method: method as 'GET',
      dispatcher: agent,
      headers: {
        ...(key ? { authorization: `Bearer ${key}` } : {}),
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...this.defaultHeaders,
        ...options.headers,
      },
      body: payload ?? null,
    });
    const text = await response.body.text();
    return { status: response.statusCode, headers: response.headers, text, body: parse(text) };
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
