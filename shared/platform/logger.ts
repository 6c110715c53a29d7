import { type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino';

export type { Logger } from 'pino';

/** The members of a log entry whose values pino masks. SECRET_PATTERNS is a second safeguard. */
const REDACTED_PATHS = [
  'authorization',
  'headers.authorization',
  'headers.cookie',
  'req.headers.authorization',
  'req.headers.cookie',
  'password',
  'key',
  'secret',
  'apiKey',
  '*.password',
  '*.key',
  '*.secret',
  '*.apiKey',
  // The arguments of a Redis command that failed: a password, or the data of a job.
  'err.command.args',
];

/**
 * The secrets to mask anywhere in a log entry: API keys, webhook secrets, links to pages and
 * exports, bearer credentials and passwords in URLs.
 * Unauthenticated clients choose some of the texts, so matching must take linear time. Every
 * pattern therefore starts with fixed text, so that the search does not try a match from every
 * character. A pattern that also matched the scheme before `://` took quadratic time: 330 ms for 15
 * KB of `a.a.a`.
 */
const SECRET_PATTERNS: [RegExp, string][] = [
  [/\btk_(live|test|agent_test|agent|session)_[A-Za-z0-9]{8,}/g, 'tk_$1_[redacted]'],
  [/\b(whsec|whsk)_[A-Za-z0-9+/=]{8,}/g, '$1_[redacted]'],
  [/\/([dit])\/[\w-]{80,}/g, '/$1/[redacted]'],
  [/\/downloads\/[\w-]{40,}/g, '/downloads/[redacted]'],
  [/\bX-Amz-Signature=[0-9a-f]+/gi, 'X-Amz-Signature=[redacted]'],
  [/\b(bearer) +[\w.~+/=-]{8,}/gi, '$1 [redacted]'],
  [/\bsentinel_password=[^\s&"]+/g, 'sentinel_password=[redacted]'],
  [/(:\/\/[^\s:/@]*):[^\s@/]+@/g, '$1:[redacted]@'],
];

export function redactText(text: string): string {
  return SECRET_PATTERNS.reduce((out, [pattern, mask]) => out.replace(pattern, mask), text);
}

const MAX_LOGGED_PATH = 200;
/**
 * The part of a path that is searched for secrets. It is longer than the logged part. A secret that
 * the log would cut off is therefore still complete here, and matches its pattern.
 */
const MAX_REDACTED_PATH = 1000;

/**
 * Links in mails for joining or for setting a password. They are masked only in paths. In
 * development without a mail server, a process logs the text of such a mail, so that the developer
 * can use the link.
 */
const MAILED_LINK = /\/(invitations?|password-reset|verify)\/[0-9A-Za-z]{43}\b/g;

/** Shortens a request's path for the log and masks its secrets. */
export function redactPath(path: string): string {
  return redactText(path.slice(0, MAX_REDACTED_PATH))
    .replace(MAILED_LINK, '/$1/[redacted]')
    .slice(0, MAX_LOGGED_PATH);
}

/**
 * Leaves out the connections that the pool of pg adds to the errors of a lost connection. A
 * connection takes kilobytes, and contains the text and the values of waiting queries.
 */
function serializeError(error: Error): unknown {
  const entry = stdSerializers.err(error);
  if (error instanceof Error) removeConnections(entry);
  return entry;
}

function removeConnections(entry: ReturnType<typeof stdSerializers.err>): void {
  delete entry.client;
  for (const inner of [...(entry.aggregateErrors ?? []), ...Object.values(entry)])
    if (isCopiedError(inner)) removeConnections(inner);

  /** True for the copies that the serializer made of errors that are members of the error. */
  function isCopiedError(value: unknown): value is typeof entry {
    return value instanceof Object && Object.getPrototypeOf(value) === Object.getPrototypeOf(entry);
  }
}

export interface LoggerOptions {
  level: string;
  /** Human-readable output for development; JSON otherwise. */
  pretty: boolean;
  name: string;
}

/**
 * Creates a logger that masks secrets and writes to standard output: JSON with ISO times, or
 * readable lines if `pretty` is set.
 */
export function createLogger(options: LoggerOptions): Logger {
  return pino({
    name: options.name,
    level: options.level,
    timestamp: stdTimeFunctions.isoTime,
    base: { name: options.name, pid: process.pid },
    redact: { paths: REDACTED_PATHS, censor: '[redacted]' },
    serializers: { err: serializeError },
    hooks: { streamWrite: redactText },
    ...(options.pretty
      ? {
          transport: {
            target: 'pino-pretty',
            options: { ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l' },
          },
        }
      : {}),
  });
}
