/** One message to /mcp as it goes over the wire, where the official client would hide status and headers. */
import { request } from 'undici';
import type { Answer, Json } from './client.js';

export interface RawMessage {
  method?: string;
  params?: Record<string, unknown>;
  id?: number | string;
  headers?: Record<string, string>;
  /** Sent as it is instead of a message. */
  raw?: string;
}

export async function postMcp(
  origin: string,
  key: string,
  { method, params, id = 7, headers = {}, raw }: RawMessage,
): Promise<Answer> {
  const response = await request(`${origin}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: raw ?? JSON.stringify({ jsonrpc: '2.0', id, method, params }),
  });
  const text = await response.body.text();
  return {
    status: response.statusCode,
    headers: response.headers,
    text,
    body: text ? (JSON.parse(text) as Json) : undefined,
  };
}

/** A tools/call. */
export function postCall(
  origin: string,
  key: string,
  call: { name: string; args?: Record<string, unknown>; meta?: Record<string, unknown> },
  message: RawMessage = {},
): Promise<Answer> {
  const params = { name: call.name, arguments: call.args ?? {}, ...(call.meta ? { _meta: call.meta } : {}) };
  return postMcp(origin, key, { ...message, method: 'tools/call', params });
}
