export type OutboundFailure =
  | 'blocked_address'
  | 'invalid_url'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'reset'
  | 'invalid_response';

/**
 * Says why a request got no complete response. The tenant that supplied the address sees the
 * message in a log. So the message must not contain addresses, names or settings of this
 * deployment.
 */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  /** The address that the socket connected to; null if it never connected. */
  remoteAddress: string | null = null;
  /** Milliseconds from the call of `send` until the request failed. */
  totalMs = 0;

  constructor(
    readonly kind: OutboundFailure,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Thrown by `beforeSend` if one of the caller's limits postpones the request. Nothing was sent, and
 * the caller may try again after `waitMs`.
 */
export class PostponedError extends Error {
  override readonly name = 'PostponedError';

  constructor(readonly waitMs: number) {
    super('The request is postponed.');
  }
}

const readErrorCode = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '');

const CONNECT_REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was reset before it was established.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The network of the host cannot be reached.',
};

/**
 * Describes a failed connection. The tenant sees the text, so error codes that concern only this
 * machine (such as EMFILE) are hidden.
 */
export function connectError(error: unknown): OutboundError {
  return new OutboundError(
    'connect',
    CONNECT_REASONS[readErrorCode(error)] ?? 'The connection could not be established.',
  );
}

export function tlsError(error: unknown): OutboundError {
  const code = readErrorCode(error);
  return new OutboundError('tls', `The TLS connection failed${code && ` (${code})`}.`);
}

/**
 * Converts an error that occurred after the connection was established.
 * @param hasEnded whether the server has closed its sending side. The parser reports the same error
 *   for a response that ended early and for a response that is not HTTP; `hasEnded` distinguishes
 *   the two cases
 */
export function exchangeError(error: unknown, hasEnded: boolean): OutboundError {
  if (error instanceof OutboundError) return error;
  const code = readErrorCode(error);
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED') {
    return new OutboundError('invalid_url', 'The request contains characters that HTTP does not allow.');
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new OutboundError('invalid_response', 'The response headers are too large.');
  }
  if (code.startsWith('ERR_SSL') || code === 'EPROTO') return tlsError(error);
  if (!hasEnded && isInvalidHttp(error)) {
    return new OutboundError('invalid_response', 'The response is not valid HTTP/1.1.');
  }
  return new OutboundError('reset', 'The connection ended before the response was complete.');
}

function isInvalidHttp(error: unknown): boolean {
  const { name, message } = error as Error;
  // undici's messages "bad response" and "bad upgrade" mean that the server sent a response, or
  // switched protocols, without being asked.
  if (readErrorCode(error) === 'UND_ERR_SOCKET') return message.startsWith('bad ');
  return name === 'HTTPParserError' || readErrorCode(error) === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';
}
