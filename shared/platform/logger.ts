import { type Logger, pino, stdTimeFunctions } from 'pino';

export type { Logger } from 'pino';

/** Paths pino must never print. The values below are the net; call sites log named fields, not whole objects. */
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
];

/**
 * Anything that looks like one of our keys, a link to an invoice or an export, a bearer credential
 * or a URL's password, wherever it stands in a message. Strangers choose these texts before they
 * are authenticated, so every pattern begins with a fixed text and scans no character for two
 * beginnings. A pattern for the scheme before `://` made it quadratic: 15 KB of `a.a.a` took 330
 * ms.
 */
const SECRET_PATTERNS: [RegExp, string][] = [
  [/\btk_(live|test|agent_test|agent|session)_[A-Za-z0-9]{8,}/g, 'tk_$1_[redacted]'],
  [/\b(whsec|whsk)_[A-Za-z0-9+/=]{8,}/g, '$1_[redacted]'],
  [/\/i\/[\w-]{80}/g, '/i/[redacted]'],
  [/\/downloads\/[\w-]{40,}/g, '/downloads/[redacted]'],
  [/\bX-Amz-Signature=[0-9a-f]+/gi, 'X-Amz-Signature=[redacted]'],
  [/\b(bearer) +[\w.~+/=-]{8,}/gi, '$1 [redacted]'],
  [/(:\/\/[^\s:/@]*):[^\s@/]+@/g, '$1:[redacted]@'],
];

/** Masks secrets in free text such as a driver's error message. */
export function redactText(text: string): string {
  return SECRET_PATTERNS.reduce((out, [pattern, mask]) => out.replace(pattern, mask), text);
}

const MAX_LOGGED_PATH = 200;
/**
 * A path is cut before it is redacted, but late enough that a secret which begins in the logged
 * part is whole.
 */
const MAX_REDACTED_PATH = 1000;

/** A request's path as a log entry holds it: short, secrets masked. */
export function redactPath(path: string): string {
  return redactText(path.slice(0, MAX_REDACTED_PATH)).slice(0, MAX_LOGGED_PATH);
}

export interface LoggerOptions {
  level: string;
  /** Human-readable lines for development; JSON otherwise. */
  pretty: boolean;
  name: string;
}

/** A pino logger writing to standard output: JSON lines, ISO times, secrets masked. */
export function createLogger(options: LoggerOptions): Logger {
  return pino({
    name: options.name,
    level: options.level,
    timestamp: stdTimeFunctions.isoTime,
    base: { name: options.name, pid: process.pid },
    redact: { paths: REDACTED_PATHS, censor: '[redacted]' },
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
