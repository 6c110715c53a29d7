import { resolve } from 'node:path';
import type Joi from 'joi';
import { findContradictions, findDomain, formatExample, type ProcessKind } from './config-contradictions.js';
import { loadDevelopmentSecret } from './development-secret.js';
import type { Settings } from './generated.js';
import { type MapConfig, readMapConfig } from './map-settings.js';
import type { RedisLocation } from './redis/redis-location.js';
import { readRedisLocation } from './redis/redis-settings.js';
import { SETTING_NAMES, settingsSchema } from './settings.js';
import { findSettingsWarnings } from './settings-warnings.js';
import { resolveStorageLocation, type StorageLocation } from './storage-location.js';
import { stripTrailingSlashes } from './trailing-slashes.js';

/** The number of requests allowed per minute and per hour (docs/specification.md §8). */
export interface TierLimits {
  minute: number;
  hour: number;
}

/** The application that the operator registered at a vendor, from the setting INTEGRATIONS. */
export interface VendorSettings {
  client_id?: string;
  client_secret?: string;
  /** Verifies the vendor's webhooks, if the vendor signs them with one secret per application. */
  webhook_secret?: string;
  /** `base_url` and `identity_url` are addresses of a test double. Production refuses them. */
  base_url?: string;
  identity_url?: string;
}

export type Tier = 'starter' | 'standard' | 'premium';

export interface Config {
  production: boolean;
  host: string;
  /** If 0, the operating system chooses a free port. */
  port: number;
  dataDir: string;
  databaseUrl: string | undefined;
  /** Exports read from this replica. If undefined, they read from `databaseUrl`. */
  databaseReplicaUrl: string | undefined;
  redis: RedisLocation | undefined;
  /**
   * Public address of the API without a trailing slash. If undefined, `buildPublicOrigin` derives
   * it from host and port.
   */
  baseUrl: string | undefined;
  /** Base address of links in messages: BASE_URL, or else built from HOST and the web's PORT. */
  publicUrl: string;
  /** Mail server and sender address. Without a mail server, mails stay in the outbox. */
  smtpUrl: string | undefined;
  mailFrom: string | undefined;
  /** Maximum number of messages to customers plus notice mails, per account and day (UTC). */
  mailsPerDay: number;
  /** `mode` says who may create an account. `perDay` limits the sign-ups within 24 hours. */
  signUp: { mode: 'closed' | 'invite' | 'open'; perDay: number };
  /** The operator's application at each vendor, by vendor name. */
  integrations: Readonly<Record<string, VendorSettings>>;
  secretKey: string;
  exportStorage: StorageLocation;
  tiers: Record<Tier, TierLimits>;
  peopleLimits: TierLimits;
  badCredentialsPerMinute: number;
  writeTimeoutMs: number;
  sendTimeoutMs: number;
  unsentBytesPerTenant: number;
  /** The limits of concurrent reads and of concurrent writes never fall below this number. */
  openRequestsMin: number;
  /** Maximum number of open client connections of one process, in total and per network. */
  connectionsPerProcess: number;
  connectionsPerNetwork: number;
  databasePoolSize: number;
  writesConcurrency: number;
  /** Maximum concurrent webhook requests per worker. Slow receivers have a second, equal limit. */
  webhooksConcurrency: number;
  /** Deadline for one whole request to a receiver. */
  webhookTimeoutMs: number;
  /** Maximum webhook bytes per minute from one account to one destination (host or network). */
  webhookHostBytesPerMinute: number;
  /** Allows requests to addresses on this machine. Always false in production. */
  allowLoopback: boolean;
  /** Maximum number of exports that one process writes concurrently. */
  exportsConcurrency: number;
  /** Timeout of each query that an export runs, in milliseconds. */
  exportTimeoutMs: number;
  /** Days from the completion of an export until its file is deleted. */
  exportRetentionDays: number;
  /** Host names of the MCP server, in lower case, in addition to the host of `publicUrl`. */
  mcpHosts: readonly string[];
  map: MapConfig | undefined;
  trustProxy: boolean;
  logLevel: string;
  demo: boolean;
  /**
   * Address of the API that CLI commands call, without a trailing slash. If undefined, the commands
   * use the address in demo.json.
   */
  apiUrl: string | undefined;
  apiKey: string | undefined;
  /** Names of the failpoints at which this process kills itself. Always empty in production. */
  failpoints: ReadonlySet<string>;
  tracing: boolean;
  /** After a stop signal, /readyz returns 503 for this time. Then the process stops listening. */
  shutdownDelayMs: number;
  /** Sentences about doubtful settings, which each process logs when it starts. */
  warnings: readonly string[];
}

const DEFAULT_PORT = 3000;

const PUBLISHED_TIERS: Record<Tier, TierLimits> = {
  starter: { minute: 60, hour: 1000 },
  standard: { minute: 300, hour: 5000 },
  premium: { minute: 1000, hour: 20_000 },
};

/** Lists all invalid settings of the environment in one error. */
export class ConfigError extends Error {
  constructor(readonly problems: string[]) {
    super(
      `The settings have ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n- ${problems.join('\n- ')}`,
    );
    this.name = 'ConfigError';
  }
}

type Environment = Record<string, string | undefined>;

/**
 * Reads and checks the environment for one kind of process.
 * @throws {ConfigError} with all problems
 */
export function loadConfig(kind: ProcessKind, environment: Environment = process.env): Config {
  const { value, faults } = checkSettings(environment);
  faults.push(...findContradictions(kind, value));
  if (faults.length > 0) throw new ConfigError(faults);
  return toConfig(kind, value, findSettingsWarnings(kind, value, environment));
}

/**
 * The settings of a CLI command that only calls the MCP server. Such a command needs no secret key,
 * so `loadClientSettings` does not create one on the user's machine.
 */
export interface ClientSettings {
  /** If undefined, the command uses the address in demo.json. */
  mcpUrl: string | undefined;
  agentKey: string | undefined;
  dataDir: string;
}

/** @throws {ConfigError} if a setting is invalid */
export function loadClientSettings(environment: Environment = process.env): ClientSettings {
  const { value, faults } = checkSettings(environment);
  if (faults.length > 0) throw new ConfigError(faults);
  return { mcpUrl: value.TOW_MCP_URL, agentKey: value.TOW_AGENT_KEY, dataDir: resolve(value.DATA_DIR) };
}

function checkSettings(environment: Environment): { value: Settings; faults: string[] } {
  const relevant = Object.fromEntries(
    SETTING_NAMES.filter((name) => environment[name] !== undefined && environment[name] !== '').map(
      (name) => [name, environment[name]],
    ),
  );
  const { error, value } = settingsSchema.validate(relevant) as Joi.ValidationResult<Settings> & {
    value: Settings;
  };
  const faults = (error?.details ?? []).map(
    ({ message, path }) => `${message}${formatExample(String(path[0]))}`,
  );
  return { value, faults };
}

/**
 * Builds the product's address as clients see it, without a trailing slash.
 * @param port port of the web process
 */
export function buildPublicOrigin({ baseUrl, host }: Pick<Config, 'baseUrl' | 'host'>, port: number): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return baseUrl ?? `http://${name === '0.0.0.0' ? '127.0.0.1' : name}:${port}`;
}

function toConfig(kind: ProcessKind, value: Settings, warnings: string[]): Config {
  const production = value.NODE_ENV === 'production';
  const dataDir = resolve(value.DATA_DIR);
  const defaultPort = kind === 'all' || kind === 'web' ? DEFAULT_PORT : 0;
  const baseUrl = value.BASE_URL && stripTrailingSlashes(value.BASE_URL);
  // PORT of a worker is the port of its health server, not of the web process.
  const webPort = (defaultPort && value.PORT) || DEFAULT_PORT;
  return Object.freeze<Config>({
    production,
    host: value.HOST,
    port: value.PORT ?? defaultPort,
    dataDir,
    databaseUrl: value.DATABASE_URL,
    databaseReplicaUrl: value.DATABASE_REPLICA_URL,
    redis: readRedisLocation(value),
    baseUrl,
    publicUrl: buildPublicOrigin({ baseUrl, host: value.HOST }, webPort),
    smtpUrl: value.SMTP_URL,
    mailFrom: value.MAIL_FROM ?? (value.SMTP_URL && `invoices@${findDomain(value.BASE_URL)}`),
    mailsPerDay: value.MAILS_PER_DAY,
    signUp: { mode: value.SIGNUP ?? (production ? 'closed' : 'open'), perDay: value.SIGNUPS_PER_DAY },
    integrations: JSON.parse(value.INTEGRATIONS ?? '{}'),
    secretKey: value.SECRET_KEY ?? loadDevelopmentSecret(dataDir),
    exportStorage: resolveStorageLocation(value, dataDir),
    tiers: { ...PUBLISHED_TIERS, ...JSON.parse(value.RATE_LIMIT_TIERS ?? '{}') },
    peopleLimits: JSON.parse(value.RATE_LIMIT_PEOPLE),
    badCredentialsPerMinute: value.BAD_CREDENTIALS_PER_MINUTE,
    writeTimeoutMs: value.WRITE_TIMEOUT_MS,
    sendTimeoutMs: value.SEND_TIMEOUT_MS,
    unsentBytesPerTenant: value.UNSENT_MB_PER_TENANT * 1024 * 1024,
    openRequestsMin: value.OPEN_REQUESTS_MIN,
    connectionsPerProcess: value.CONNECTIONS_PER_PROCESS,
    connectionsPerNetwork: value.CONNECTIONS_PER_NETWORK,
    databasePoolSize: value.DATABASE_POOL_SIZE,
    writesConcurrency: value.WRITES_CONCURRENCY,
    webhooksConcurrency: value.WEBHOOKS_CONCURRENCY,
    webhookTimeoutMs: value.WEBHOOK_TIMEOUT_MS,
    webhookHostBytesPerMinute: value.WEBHOOK_HOST_BYTES_PER_MINUTE,
    exportsConcurrency: value.EXPORTS_CONCURRENCY,
    exportTimeoutMs: value.EXPORT_TIMEOUT_MS,
    exportRetentionDays: value.EXPORT_RETENTION_DAYS,
    map: readMapConfig(value),
    mcpHosts: value.MCP_HOSTS?.toLowerCase().split(',') ?? [],
    allowLoopback: value.WEBHOOK_ALLOW_LOOPBACK ?? !production,
    trustProxy: value.TRUST_PROXY,
    logLevel: value.LOG_LEVEL,
    demo: value.DEMO ?? (kind === 'all' && !production),
    apiUrl: value.TOW_API_URL && stripTrailingSlashes(value.TOW_API_URL),
    apiKey: value.TOW_API_KEY,
    failpoints: new Set((value.FAILPOINTS ?? '').split(',').filter(Boolean)),
    tracing: value.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined && !value.OTEL_SDK_DISABLED,
    shutdownDelayMs: shutdownDelayMs(kind, value),
    warnings,
  });
}

/** Suits a load balancer that checks every two seconds and reacts to the second failure. */
const PRODUCTION_SHUTDOWN_DELAY_MS = 5000;

/**
 * Only processes of the kind `web` (web and mcp) wait before they stop listening. During the wait,
 * a load balancer can switch to other processes. `npm start` has no other process.
 */
function shutdownDelayMs(kind: ProcessKind, value: Settings): number {
  if (kind !== 'web') return 0;
  return value.SHUTDOWN_DELAY_MS ?? (value.NODE_ENV === 'production' ? PRODUCTION_SHUTDOWN_DELAY_MS : 0);
}
