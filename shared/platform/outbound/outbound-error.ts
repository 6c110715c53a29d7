/** Why there is no answer. */
export type OutboundFailure =
  | 'blocked_address'
  | 'invalid_url'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'reset'
  | 'invalid_response';

/** A request that got no whole answer. The message is for the log of the tenant who named the address: it holds no address, name or setting of ours. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  /** Where it was connected to; null when it never was. */
  remoteAddress: string | null = null;
  /** From the call to its end; set when the request ends. */
  totalMs = 0;

  constructor(
    readonly kind: OutboundFailure,
    message: string,
  ) {
    super(message);
  }
}

/**
 * The caller's own bound keeps a request back: nothing of it was sent, and it may be sent later.
 */
export class HeldBackError extends Error {
  override readonly name = 'HeldBackError';

  constructor(readonly waitMs: number) {
    super('The request is held back.');
  }
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '');

const CONNECT_REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was reset while it was made.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The network of the host cannot be reached.',
};

/** What a failed connection is to the tenant; a code that is not about the receiver (EMFILE) is not told. */
export function connectError(error: unknown): OutboundError {
  return new OutboundError('connect', CONNECT_REASONS[codeOf(error)] ?? 'The connection could not be made.');
}

export function tlsError(error: unknown): OutboundError {
  const code = codeOf(error);
  return new OutboundError('tls', `The TLS connection failed${code && ` (${code})`}.`);
}

/**
 * What undici or the socket says about an exchange that failed after the connection was made.
 * @param hasEnded whether the other side had said its last byte; to a parser an end in the middle looks like garbage
 */
export function exchangeError(error: unknown, hasEnded: boolean): OutboundError {
  if (error instanceof OutboundError) return error;
  const code = codeOf(error);
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED') {
    return new OutboundError('invalid_url', 'The request holds what HTTP cannot carry.');
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new OutboundError('invalid_response', 'The headers of the answer are too large.');
  }
  if (code.startsWith('ERR_SSL') || code === 'EPROTO') return tlsError(error);
  if (!hasEnded && isGarbage(error)) {
    return new OutboundError('invalid_response', 'The answer is not proper HTTP/1.1.');
  }
  return new OutboundError('reset', 'The connection ended before the answer was complete.');
}

function isGarbage(error: unknown): boolean {
  const { name, message } = error as Error;
  // "bad response", "bad upgrade": an answer that nobody asked for.
  if (codeOf(error) === 'UND_ERR_SOCKET') return message.startsWith('bad ');
  return name === 'HTTPParserError' || codeOf(error) === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';
}
