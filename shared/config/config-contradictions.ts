import type { Settings } from './generated.js';
import { findRedisConflicts } from './redis/redis-settings.js';
import { estimateSecretBits } from './secret-strength.js';
import { MIN_SECRET_LENGTH, settingsSchema } from './settings.js';
import { parseIntegrations } from './settings-integrations.js';
import { findStorageConflicts } from './storage-location.js';

/**
 * The kind of a process decides which settings are required. `all` is `npm start`, which starts an
 * embedded PostgreSQL unless DATABASE_URL is set.
 */
export type ProcessKind = 'all' | 'release' | 'web' | 'worker' | 'cli';

/** Formats an example for the end of an error message: ` (for example PORT=3000)`. */
export function formatExample(name: string): string {
  const example = settingsSchema.describe().keys[name]?.examples?.[0];
  return example === undefined ? '' : ` (for example ${name}=${example})`;
}

/** Lists missing settings, and settings that contradict each other. */
export function findContradictions(kind: ProcessKind, value: Settings): string[] {
  const production = value.NODE_ENV === 'production';
  const problems: string[] = [];
  const scaledOut = kind === 'web' || kind === 'worker';
  if (scaledOut && !value.REDIS_URL) {
    problems.push(
      '"REDIS_URL" is required by a separate process: without Redis the queue, replies and limits exist inside one process only (npm start)' +
        formatExample('REDIS_URL'),
    );
  }
  if ((scaledOut || kind === 'release' || value.REDIS_URL) && !value.DATABASE_URL) {
    problems.push(
      '"DATABASE_URL" is required: separate processes cannot share an embedded database' +
        formatExample('DATABASE_URL'),
    );
  }
  problems.push(...secretContradictions(value), ...addressContradictions(value));
  problems.push(
    ...mailContradictions(kind, value),
    ...findStorageConflicts(value),
    ...findRedisConflicts(value),
  );
  problems.push(...integrationContradictions(value), ...signUpContradictions(value));
  if (production && value.FAILPOINTS) problems.push('"FAILPOINTS" is refused in production');
  if (production && value.WEBHOOK_ALLOW_LOOPBACK) {
    problems.push(
      '"WEBHOOK_ALLOW_LOOPBACK" is refused in production: any account could reach services on this machine',
    );
  }
  if (value.WRITES_CONCURRENCY >= value.DATABASE_POOL_SIZE) {
    problems.push(
      '"WRITES_CONCURRENCY" must be smaller than "DATABASE_POOL_SIZE": each batch holds a connection',
    );
  }
  return problems;
}

/**
 * Refuses addresses of test doubles in production, because a double would receive accounts'
 * credentials.
 */
function integrationContradictions({ NODE_ENV, INTEGRATIONS }: Settings): string[] {
  if (NODE_ENV !== 'production' || !INTEGRATIONS) return [];
  return parseIntegrations(INTEGRATIONS).flatMap(([vendor, settings]) =>
    ['base_url', 'identity_url']
      .filter((name) => name in settings)
      .map((name) => `"INTEGRATIONS" must not contain ${vendor}.${name} in production`),
  );
}

/** Refuses sign-up in production without a mail server, because no address could be verified. */
function signUpContradictions({ NODE_ENV, SIGNUP, SMTP_URL }: Settings): string[] {
  if (NODE_ENV !== 'production' || SMTP_URL || !SIGNUP || SIGNUP === 'closed') return [];
  return [`"SMTP_URL" is required with "SIGNUP" in production${formatExample('SMTP_URL')}`];
}

/**
 * The minimum number of bits that `estimateSecretBits` must find in a production key. A key of 128
 * random bits almost always has enough, in any encoding. Hexadecimal keys get the lowest estimates:
 * fewer than one in a thousand is refused.
 */
const MIN_SECRET_BITS = 90;
/**
 * The minimum number of bits in development. A phrase of words has enough bits, but a repeated
 * character has not.
 */
const MIN_SECRET_BITS_IN_DEVELOPMENT = 20;

function secretContradictions({ NODE_ENV, SECRET_KEY }: Settings): string[] {
  const production = NODE_ENV === 'production';
  if (!SECRET_KEY) {
    return production ? [`"SECRET_KEY" is required in production${formatExample('SECRET_KEY')}`] : [];
  }
  const bits = Math.floor(estimateSecretBits(SECRET_KEY));
  const needed = production ? MIN_SECRET_BITS : MIN_SECRET_BITS_IN_DEVELOPMENT;
  // The schema already reports a key that is too short.
  if (bits >= needed || SECRET_KEY.length < MIN_SECRET_LENGTH) return [];
  return [
    `"SECRET_KEY" is too easy to guess: after repetitions and words about ${bits} bits remain, and ${needed} are needed. ` +
      `Use a random one${formatExample('SECRET_KEY')}`,
  ];
}

/**
 * Requires BASE_URL in production, because a process behind a proxy cannot find out its public
 * address. The address must be https, because browsers send production's cookies over TLS only.
 */
function addressContradictions({ NODE_ENV, BASE_URL }: Settings): string[] {
  if (NODE_ENV !== 'production') return [];
  if (!BASE_URL) return [`"BASE_URL" is required in production${formatExample('BASE_URL')}`];
  if (/^https:/i.test(BASE_URL)) return [];
  return [`"BASE_URL" must begin with https:// in production${formatExample('BASE_URL')}`];
}

/**
 * Checks that MAIL_FROM, BASE_URL and SMTP_URL fit together: mails need a mail server, a sender
 * address and a base address for their links.
 */
function mailContradictions(kind: ProcessKind, value: Settings): string[] {
  if (!value.SMTP_URL) {
    return value.MAIL_FROM ? ['"MAIL_FROM" is set without "SMTP_URL": no mail would be sent'] : [];
  }
  const problems: string[] = [];
  if (!value.MAIL_FROM && !findDomain(value.BASE_URL)) {
    problems.push(
      `"MAIL_FROM" is required with "SMTP_URL" unless "BASE_URL" names a domain${formatExample('MAIL_FROM')}`,
    );
  }
  // In production, addressContradictions already reports a missing BASE_URL.
  if (!value.BASE_URL && kind !== 'all' && value.NODE_ENV !== 'production') {
    problems.push(
      `"BASE_URL" is required with "SMTP_URL": mails contain links to it${formatExample('BASE_URL')}`,
    );
  }
  return problems;
}

/** Returns the domain name of a URL; undefined for IP addresses and names without a dot. */
export function findDomain(url: string | undefined): string | undefined {
  const host = url && URL.canParse(url) ? new URL(url).hostname : '';
  return /\.[a-z][a-z0-9-]*$/i.test(host) ? host : undefined;
}
