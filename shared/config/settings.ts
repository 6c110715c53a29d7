import Joi from 'joi';
import { MAP_SETTINGS } from './map-settings.js';
import { REDIS_SETTINGS } from './redis/redis-settings.js';
import { REQUEST_SETTINGS } from './request-settings.js';
import { validateIntegrationsJson } from './settings-integrations.js';
import { validateStorageUrl } from './storage-location.js';

export const MIN_SECRET_LENGTH = 32;

/**
 * The environment variables of the product. A test compares these names and defaults with the table
 * in docs/guides/operators.md.
 */
const SETTINGS = {
  NODE_ENV: Joi.string()
    .valid('development', 'test', 'production')
    .default('development')
    .description('production requires SECRET_KEY and an https BASE_URL, and turns the demo off')
    .example('production'),
  PORT: Joi.number()
    .port()
    .description('port of the HTTP server, or of the health server in processes without an API')
    .example(3000),
  HOST: Joi.string().default('127.0.0.1').description('address to listen on').example('0.0.0.0'),
  DATA_DIR: Joi.string()
    .default('.data')
    .description('folder of the embedded database, demo.json and the generated secret')
    .example('/var/lib/tow'),
  DATABASE_URL: Joi.string()
    .uri({ scheme: ['postgres', 'postgresql'] })
    .description('PostgreSQL 15 or later; an owner role that may create roles and is no superuser')
    .example('postgres://tow:secret@localhost:5432/tow'),
  DATABASE_REPLICA_URL: Joi.string()
    .uri({ scheme: ['postgres', 'postgresql'] })
    .description(
      'a streaming replica for exports, and for lists and the dispatch board of clients that send a consistency token; the same role as DATABASE_URL',
    )
    .example('postgres://tow:secret@replica:5432/tow'),
  ...REDIS_SETTINGS,
  BASE_URL: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .description('public address of the API host; required in production, where it is https')
    .example('https://api.example.com'),
  SMTP_URL: Joi.string()
    .uri({ scheme: ['smtp', 'smtps'] })
    .description('mail server for invoices; without it mails stay in the outbox')
    .example('smtps://user:secret@smtp.example.com:465'),
  MAIL_FROM: Joi.string()
    .email({ tlds: { allow: false } })
    .description('sender address of mails; default invoices@ the domain of BASE_URL')
    .example('invoices@example.com'),
  MAILS_PER_DAY: Joi.number()
    .integer()
    .min(1)
    .max(1_000_000)
    .default(5000)
    .description(
      'mails and text messages that an account may send per day (UTC); further ones wait for the next day',
    )
    .example(5000),
  SIGNUP: Joi.string()
    .valid('closed', 'invite', 'open')
    .description(
      'who may create an account: nobody, whoever has a token of `tow signup-tokens create`, or everybody; default closed in production, else open',
    )
    .example('invite'),
  SIGNUPS_PER_DAY: Joi.number()
    .integer()
    .min(1)
    .max(100_000)
    .default(500)
    .description('sign-ups of all strangers together within a day; further ones get 429')
    .example(500),
  INTEGRATIONS: Joi.string()
    .custom(validateIntegrationsJson)
    .description("JSON: this deployment's application at each vendor; base_url is refused in production")
    .example('{"stripe":{"client_id":"ca_1","client_secret":"sk_1","webhook_secret":"whsec_1"}}'),
  SECRET_KEY: Joi.string()
    .min(MIN_SECRET_LENGTH)
    .description(
      'encrypts stored secrets and links, signs cursors; random; generated into DATA_DIR outside production',
    )
    .example('$(openssl rand -base64 48)'),
  STORAGE_URL: Joi.string()
    .custom(validateStorageUrl)
    .description(
      'where exports and photos are stored: a folder, which separate processes can share on one machine only, or a bucket',
    )
    .example('s3://tow-exports/production'),
  S3_ENDPOINT: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .description("server of the bucket if it is not Amazon's; customers download from it")
    .example('https://minio.example.com'),
  AWS_REGION: Joi.string()
    .pattern(/^[a-z0-9-]+$/, 'be the name of a region')
    .description(
      "region of the bucket; the AWS SDK's other standard variables, such as AWS_ACCESS_KEY_ID, also apply",
    )
    .example('eu-central-1'),
  ...REQUEST_SETTINGS,
  DATABASE_POOL_SIZE: Joi.number()
    .integer()
    .min(2)
    .max(100)
    .default(10)
    .description('PostgreSQL connections of one process for its own queries')
    .example(10),
  WRITES_CONCURRENCY: Joi.number()
    .integer()
    .min(1)
    .max(32)
    .default(4)
    .description('batches that one writes worker commits concurrently; at most DATABASE_POOL_SIZE - 1')
    .example(4),
  WEBHOOKS_CONCURRENCY: Joi.number()
    .integer()
    .min(2)
    .max(5000)
    .default(256)
    .description('concurrent requests to receivers per webhooks worker; the same number again to slow ones')
    .example(256),
  WEBHOOK_TIMEOUT_MS: Joi.number()
    .integer()
    .min(100)
    .max(20_000)
    .default(15_000)
    .description('deadline of one request to a receiver, from connecting to the end of its response')
    .example(15_000),
  WEBHOOK_HOST_BYTES_PER_MINUTE: Joi.number()
    .integer()
    .min(1_048_576)
    .max(2_000_000_000)
    .default(67_108_864)
    .description('webhook bytes that one account may send to one host per minute; further requests wait')
    .example(67_108_864),
  WEBHOOK_ALLOW_LOOPBACK: Joi.boolean()
    .description('webhooks may go to receivers on this machine; refused in production')
    .example(false),
  EXPORTS_CONCURRENCY: Joi.number()
    .integer()
    .min(1)
    .max(32)
    .default(3)
    .description(
      'exports that one exports worker writes concurrently; if more than one, one slot is reserved for small exports',
    )
    .example(3),
  EXPORT_TIMEOUT_MS: Joi.number()
    .integer()
    .min(1000)
    .max(86_400_000)
    .default(3_600_000)
    .description('how long PostgreSQL may read for one file of an export')
    .example(3_600_000),
  EXPORT_RETENTION_DAYS: Joi.number()
    .integer()
    .min(1)
    .max(365)
    .default(7)
    .description('days until the file of a finished export is deleted')
    .example(7),
  ...MAP_SETTINGS,
  MCP_HOSTS: Joi.string()
    .pattern(/^[A-Za-z0-9.-]+(,[A-Za-z0-9.-]+)*$/, 'be host names separated by commas')
    .description("host names of the MCP server, in addition to BASE_URL's and this machine's")
    .example('agents.example.com'),
  TRUST_PROXY: Joi.boolean()
    .default(false)
    .description(
      "read the client's address from the last entry of X-Forwarded-For, which the one proxy in front adds",
    )
    .example(true),
  SHUTDOWN_DELAY_MS: Joi.number()
    .integer()
    .min(0)
    .max(20_000)
    .description(
      'how long web and mcp answer /readyz with 503 after SIGTERM before they stop listening; default 5000 in production, else 0',
    )
    .example(5000),
  LOG_LEVEL: Joi.string()
    .valid('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')
    .default('info')
    .description('least severe level that is logged')
    .example('info'),
  DEMO: Joi.boolean().description('seed two demo tenants on first run; off in production').example(true),
  TOW_API_URL: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .description('API that `tow listen`, `tow trigger` and `tow export` call; default: the one in demo.json')
    .example('https://api.example.com/v1'),
  TOW_API_KEY: Joi.string()
    .description("key that `tow listen`, `tow trigger` and `tow export` use; default: the demo's")
    .example('tk_test_…'),
  TOW_MCP_URL: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .description('MCP server that `tow mcp` connects to; default: the one in demo.json')
    .example('https://api.example.com/mcp'),
  TOW_AGENT_KEY: Joi.string()
    .description("key that `tow mcp` uses; default: the demo's")
    .example('tk_agent_…'),
  FAILPOINTS: Joi.string()
    .pattern(/^[a-z_,:-]+$/)
    .description('tests only: places where the process kills itself; refused in production')
    .example('after_commit'),
  OTEL_EXPORTER_OTLP_ENDPOINT: Joi.string()
    .uri()
    .description('switches OpenTelemetry traces on; its other standard variables apply as well')
    .example('http://localhost:4318'),
  OTEL_SDK_DISABLED: Joi.boolean().default(false).description('switches traces off again').example(true),
};

export const SETTING_NAMES: readonly string[] = Object.keys(SETTINGS);

export const settingsSchema = Joi.object(SETTINGS).prefs({ abortEarly: false, convert: true });
