import Joi from 'joi';
import { validatePeopleJson, validateTiersJson } from './settings-tiers.js';

/** The environment variables that limit clients' requests and connections. */
export const REQUEST_SETTINGS = {
  RATE_LIMIT_TIERS: Joi.string()
    .custom(validateTiersJson)
    .description('JSON that replaces the published limits of a tier')
    .example('{"standard":{"minute":300,"hour":5000}}'),
  RATE_LIMIT_PEOPLE: Joi.string()
    .custom(validatePeopleJson)
    .default('{"minute":600,"hour":12000}')
    .description('JSON with the calls that one signed-in person may send at least, whatever the tier')
    .example('{"minute":600,"hour":12000}'),
  BAD_CREDENTIALS_PER_MINUTE: Joi.number()
    .integer()
    .min(1)
    .default(300)
    .description('wrong credentials allowed per network (IPv4 address, IPv6 /56) and minute')
    .example(300),
  WRITE_TIMEOUT_MS: Joi.number()
    .integer()
    .min(100)
    .max(60_000)
    .default(10_000)
    .description('how long a write waits for its commit before the response is 202')
    .example(10_000),
  SEND_TIMEOUT_MS: Joi.number()
    .integer()
    .min(100)
    .max(600_000)
    .default(120_000)
    .description('how long a client may take to read a response before its connection is closed')
    .example(120_000),
  UNSENT_MB_PER_TENANT: Joi.number()
    .integer()
    .min(8)
    .max(1024)
    .default(32)
    .description(
      'MiB of unread responses that one process holds per account, or per network for requests without a key',
    )
    .example(32),
  CONNECTIONS_PER_PROCESS: Joi.number()
    .integer()
    .min(1)
    .max(1_000_000)
    .default(10_000)
    .description('open client connections per process; further ones are closed immediately')
    .example(10_000),
  CONNECTIONS_PER_NETWORK: Joi.number()
    .integer()
    .min(1)
    .max(1_000_000)
    .default(1000)
    .description(
      'open connections per network (IPv4 address, IPv6 /56), four times as many per IPv4 /24 or IPv6 /48; ignored with TRUST_PROXY',
    )
    .example(1000),
  OPEN_REQUESTS_MIN: Joi.number()
    .integer()
    .min(1)
    .max(1_000_000)
    .default(1000)
    .description(
      'reads, and writes, that one process handles at a time, however slow it is; further ones get 503 if they would wait for more than a second',
    )
    .example(1000),
};
