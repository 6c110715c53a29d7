import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import Joi from 'joi';
import { parseRedisUrl } from './parse-redis-url.js';
import type { RedisLocation } from './redis-location.js';

const validateRedisUrl: Joi.CustomValidator<string> = (text, helpers) => {
  const { faults } = parseRedisUrl(text);
  return faults.length === 0
    ? text
    : helpers.message({ custom: `"REDIS_URL" is wrong: ${faults.join('; ')}` });
};

export const REDIS_SETTINGS = {
  REDIS_URL: Joi.string()
    .custom(validateRedisUrl)
    .description(
      'Redis 6.2 or later with noeviction: one server, sentinels or a cluster; switches to the scaled-out way',
    )
    .example('redis://localhost:6379'),
  REDIS_CA_FILE: Joi.string()
    .description(
      'PEM file of the certificate authority that signed the certificates of Redis; only with rediss://',
    )
    .example('/etc/ssl/redis-ca.pem'),
};

interface RedisSettings {
  REDIS_URL?: string;
  REDIS_CA_FILE?: string;
}

/** Lists what is wrong with REDIS_CA_FILE. */
export function findRedisConflicts({ REDIS_URL, REDIS_CA_FILE }: RedisSettings): string[] {
  if (!REDIS_CA_FILE) return [];
  const problems: string[] = [];
  if (!/^rediss/i.test(REDIS_URL ?? '')) {
    problems.push(
      '"REDIS_CA_FILE" is set without a "REDIS_URL" with TLS (for example REDIS_URL=rediss://redis:6379)',
    );
  }
  try {
    // Parses the first certificate of the file.
    new X509Certificate(readFileSync(REDIS_CA_FILE));
  } catch {
    problems.push('"REDIS_CA_FILE" must be a readable PEM file with a certificate');
  }
  return problems;
}

/** @throws if the settings have faults */
export function readRedisLocation({ REDIS_URL, REDIS_CA_FILE }: RedisSettings): RedisLocation | undefined {
  const location = REDIS_URL ? parseRedisUrl(REDIS_URL).location : undefined;
  if (!location?.tls || !REDIS_CA_FILE) return location;
  return { ...location, tls: { ca: readFileSync(REDIS_CA_FILE, 'utf8') } };
}
