import { OutboundError, type PostponedError } from './outbound-error.js';

export interface OutboundRequest {
  method: 'POST' | 'GET' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers: Record<string, string>;
  body?: string | Buffer;
  /** Covers the whole request: DNS lookup, connection, TLS, headers and body. */
  deadlineMs: number;
  maxBodyBytes: number;
  /**
   * True if the receiver may get the request twice without harm (a GET, or a request with the
   * header `webhook-id`). A server may close a reused socket just when the client sends a request.
   * The client then repeats an idempotent request if it has received no byte of a response. Any
   * other request is repeated only if no byte of it was sent. Default: false.
   */
  isIdempotent?: boolean;
  /** Builds headers that contain the current time. Runs immediately before each send. */
  buildFreshHeaders?: () => Record<string, string>;
  /**
   * Runs before the first byte is sent, with the address that the socket is connected to. May
   * reject with {@link PostponedError}, and the client then sends nothing.
   */
  beforeSend?: (address: string) => Promise<void>;
}

export interface OutboundResponse {
  status: number;
  headers: Record<string, string | string[]>;
  /** The bytes as received; never decompressed. */
  body: Buffer;
  isTruncated: boolean;
  remoteAddress: string | null;
  /** Time for DNS lookup, connection and TLS; null if the client reused a kept-alive socket. */
  connectMs: number | null;
  /** Time from the start of the request until the response headers arrived. */
  firstByteMs: number;
  totalMs: number;
}

/**
 * The headers that callers may not set. They control the connection, or change where or how the
 * request arrives.
 */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** @throws {OutboundError} if the caller sets a reserved header */
export function prepareHeaders(headers: Record<string, string>): Record<string, string> {
  for (const name of Object.keys(headers)) {
    if (RESERVED_HEADERS.has(name.toLowerCase())) {
      throw new OutboundError('invalid_url', `The header ${name.toLowerCase()} cannot be set.`);
    }
  }
  return { ...headers, 'accept-encoding': 'identity' };
}
