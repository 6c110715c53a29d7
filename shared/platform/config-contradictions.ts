import type { Settings } from './environment.js';
import { estimateSecretBits } from './secret-strength.js';
import { MIN_SECRET_LENGTH, settingsSchema } from './settings.js';
import { storageContradictions } from './storage/location.js';

/** What a process is allowed to leave out: `all` runs on an embedded PostgreSQL and without Redis. */
export type ProcessKind = 'all' | 'release' | 'web' | 'worker' | 'cli';

/** What an error says at its end: ` (for example PORT=3000)`. */
export function exampleOf(name: string): string {
  const example = settingsSchema.describe().keys[name]?.examples?.[0];
  return example === undefined ? '' : ` (for example ${name}=${example})`;
}

/** What the settings of one kind of process lack or hold against each other. */
export function contradictions(kind: ProcessKind, value: Settings): string[] {
  const production = value.NODE_ENV === 'production';
  const faults: string[] = [];
  const scaledOut = kind === 'web' || kind === 'worker';
  if (scaledOut && !value.REDIS_URL) {
    faults.push(
      '"REDIS_URL" is required by a separate process: without Redis the queue, replies and limits live inside one process (npm start)' +
        exampleOf('REDIS_URL'),
    );
  }
  if ((scaledOut || kind === 'release' || value.REDIS_URL) && !value.DATABASE_URL) {
    faults.push(
      '"DATABASE_URL" is required: separate processes cannot share an embedded database' +
        exampleOf('DATABASE_URL'),
    );
  }
  faults.push(...secretContradictions(value), ...addressContradictions(value));
  faults.push(...mailContradictions(kind, value), ...storageContradictions(value));
  if (production && value.FAILPOINTS) faults.push('"FAILPOINTS" is refused in production');
  if (production && value.WEBHOOK_ALLOW_LOOPBACK) {
    faults.push(
      '"WEBHOOK_ALLOW_LOOPBACK" is refused in production: any tenant could reach what listens on this machine',
    );
  }
  if (value.WRITES_CONCURRENCY >= value.DATABASE_POOL_SIZE) {
    faults.push(
      '"WRITES_CONCURRENCY" must be smaller than "DATABASE_POOL_SIZE": each batch holds a connection',
    );
  }
  return faults;
}

/**
 * 128 random bits measure so many even as 32 hexadecimal digits, which measure lowest: fewer than
 * one key in a thousand falls below.
 */
const MIN_SECRET_BITS = 90;
/** A developer may choose a phrase, but not one character again and again. */
const MIN_SECRET_BITS_IN_DEVELOPMENT = 20;

function secretContradictions({ NODE_ENV, SECRET_KEY }: Settings): string[] {
  const production = NODE_ENV === 'production';
  if (!SECRET_KEY) {
    return production ? [`"SECRET_KEY" is required in production${exampleOf('SECRET_KEY')}`] : [];
  }
  const bits = Math.floor(estimateSecretBits(SECRET_KEY));
  const needed = production ? MIN_SECRET_BITS : MIN_SECRET_BITS_IN_DEVELOPMENT;
  // One that is too short is a fault already.
  if (bits >= needed || SECRET_KEY.length < MIN_SECRET_LENGTH) return [];
  return [
    `"SECRET_KEY" is too easy to guess: repetitions and words leave about ${bits} bits of it, and ${needed} are needed. ` +
      `Use a random one${exampleOf('SECRET_KEY')}`,
  ];
}

/**
 * Cookies of production are sent over TLS alone, and nothing behind a proxy knows by itself how it
 * is reached.
 */
function addressContradictions({ NODE_ENV, BASE_URL }: Settings): string[] {
  if (NODE_ENV !== 'production') return [];
  if (!BASE_URL) return [`"BASE_URL" is required in production${exampleOf('BASE_URL')}`];
  if (/^https:/i.test(BASE_URL)) return [];
  return [`"BASE_URL" must begin with https:// in production${exampleOf('BASE_URL')}`];
}

/** What a mail needs: a sender whose domain is real, and links that lead here from outside. */
function mailContradictions(kind: ProcessKind, value: Settings): string[] {
  if (!value.SMTP_URL) {
    return value.MAIL_FROM ? ['"MAIL_FROM" is set without "SMTP_URL": nothing would be mailed'] : [];
  }
  const faults: string[] = [];
  if (!value.MAIL_FROM && !domainOf(value.BASE_URL)) {
    faults.push(
      `"MAIL_FROM" is required with "SMTP_URL" unless "BASE_URL" names a domain${exampleOf('MAIL_FROM')}`,
    );
  }
  // In production it is required anyway.
  if (!value.BASE_URL && kind !== 'all' && value.NODE_ENV !== 'production') {
    faults.push(`"BASE_URL" is required with "SMTP_URL": mails hold links to it${exampleOf('BASE_URL')}`);
  }
  return faults;
}

/** The domain of an address; undefined for IP addresses and names without a dot. */
export function domainOf(url: string | undefined): string | undefined {
  const host = url && URL.canParse(url) ? new URL(url).hostname : '';
  return /\.[a-z][a-z0-9-]*$/i.test(host) ? host : undefined;
}
