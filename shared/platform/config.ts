import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type Joi from 'joi';
import { contradictions, domainOf, exampleOf, type ProcessKind } from './config-contradictions.js';
import type { Settings } from './environment.js';
import { settingsSchema } from './settings.js';
import { findWarnings } from './settings-warnings.js';
import { type StorageLocation, storageLocation } from './storage/location.js';
import { withoutTrailingSlashes } from './trailing-slashes.js';

/** Limits of one plan tier, in requests per window (specification section 8). */
export interface TierLimits {
  minute: number;
  hour: number;
}

export type Tier = 'starter' | 'standard' | 'premium';

export interface Config {
  production: boolean;
  host: string;
  /** 0 lets the system choose. */
  port: number;
  dataDir: string;
  databaseUrl: string | undefined;
  /** Where exports read from; undefined: where everything does. */
  databaseReplicaUrl: string | undefined;
  redisUrl: string | undefined;
  /** Public address of the API host without a trailing slash; undefined: taken from HOST and PORT. */
  baseUrl: string | undefined;
  /** Where links to customers lead: BASE_URL, else HOST and the web process's PORT. */
  publicUrl: string;
  /** Mail server; undefined: mails stay in the outbox. */
  smtpUrl: string | undefined;
  /** Sender address of mails; there whenever there is a mail server. */
  mailFrom: string | undefined;
  /** Of one account, invoices and notices together. */
  mailsPerDay: number;
  secretKey: string;
  /** Where exports lie. */
  exportStorage: StorageLocation;
  tiers: Record<Tier, TierLimits>;
  badCredentialsPerMinute: number;
  writeTimeoutMs: number;
  sendTimeoutMs: number;
  unsentBytesPerTenant: number;
  /** Open ones that a process keeps, of all clients and of one network. */
  connectionsPerProcess: number;
  connectionsPerNetwork: number;
  databasePoolSize: number;
  writesConcurrency: number;
  /** Requests to receivers under way at once, per process and pool. */
  webhooksConcurrency: number;
  /** Deadline over one whole request to a receiver. */
  webhookTimeoutMs: number;
  /** Of one account, to one name or address. */
  webhookHostBytesPerMinute: number;
  /** Whether requests to tenants' addresses may go to this machine; never in production, where http is refused as well. */
  allowLoopback: boolean;
  /** Exports that a process writes side by side. */
  exportsConcurrency: number;
  /** Of one statement of an export. */
  exportTimeoutMs: number;
  /** Days from its completion to an export's end. */
  exportRetentionDays: number;
  /** Host names under which agents may reach the MCP server, in lower case, beside that of publicUrl. */
  mcpHosts: readonly string[];
  trustProxy: boolean;
  logLevel: string;
  demo: boolean;
  /** What the commands that call the API call, without a trailing slash, and with which key; undefined: the demo's. */
  apiUrl: string | undefined;
  apiKey: string | undefined;
  /** Names of places where a test makes the process kill itself; always empty in production. */
  failpoints: ReadonlySet<string>;
  tracing: boolean;
  /**
   * How long a process that answers requests says on /readyz that it ends, before it stops
   * listening.
   */
  shutdownDelayMs: number;
  /** What the settings leave in doubt; each process logs it at its start. */
  warnings: readonly string[];
}

const DEFAULT_PORT = 3000;

const PUBLISHED_TIERS: Record<Tier, TierLimits> = {
  starter: { minute: 60, hour: 1000 },
  standard: { minute: 300, hour: 5000 },
  premium: { minute: 1000, hour: 20_000 },
};

/** Thrown with every fault of the environment at once. */
export class ConfigError extends Error {
  constructor(readonly faults: string[]) {
    super(
      `The settings have ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n- ${faults.join('\n- ')}`,
    );
    this.name = 'ConfigError';
  }
}

type Environment = Record<string, string | undefined>;

/**
 * Reads and checks the environment for one kind of process.
 * @throws {ConfigError} naming all faults, each with an example of a good value.
 */
export function loadConfig(kind: ProcessKind, environment: Environment = process.env): Config {
  const { value, faults } = checkSettings(environment);
  faults.push(...contradictions(kind, value));
  if (faults.length > 0) throw new ConfigError(faults);
  return toConfig(kind, value, findWarnings(kind, value, environment));
}

/** What a command needs that only talks to the agents' server. */
export interface ClientSettings {
  /** Undefined: the demo's. */
  mcpUrl: string | undefined;
  agentKey: string | undefined;
  dataDir: string;
}

/**
 * Reads and checks the environment of such a command. It runs on the machines of people, in whatever folder: it needs no secret and makes none.
 * @throws {ConfigError}
 */
export function loadClientSettings(environment: Environment = process.env): ClientSettings {
  const { value, faults } = checkSettings(environment);
  if (faults.length > 0) throw new ConfigError(faults);
  return { mcpUrl: value.TOW_MCP_URL, agentKey: value.TOW_AGENT_KEY, dataDir: resolve(value.DATA_DIR) };
}

function checkSettings(environment: Environment): { value: Settings; faults: string[] } {
  const known = Object.fromEntries(
    Object.keys(settingsSchema.describe().keys)
      .filter((name) => environment[name] !== undefined && environment[name] !== '')
      .map((name) => [name, environment[name]]),
  );
  const { error, value } = settingsSchema.validate(known) as Joi.ValidationResult<Settings> & {
    value: Settings;
  };
  const faults = (error?.details ?? []).map(({ message, path }) => `${message}${exampleOf(String(path[0]))}`);
  return { value, faults };
}

/** Address of the product as its callers see it, without a trailing slash. @param port the one that the web process has */
export function publicOrigin({ baseUrl, host }: Pick<Config, 'baseUrl' | 'host'>, port: number): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return baseUrl ?? `http://${name === '0.0.0.0' ? '127.0.0.1' : name}:${port}`;
}

function toConfig(kind: ProcessKind, value: Settings, warnings: string[]): Config {
  const production = value.NODE_ENV === 'production';
  const dataDir = resolve(value.DATA_DIR);
  const defaultPort = kind === 'all' || kind === 'web' ? DEFAULT_PORT : 0;
  const baseUrl = value.BASE_URL && withoutTrailingSlashes(value.BASE_URL);
  // A worker's PORT is its health server's.
  const webPort = (defaultPort && value.PORT) || DEFAULT_PORT;
  return Object.freeze<Config>({
    production,
    host: value.HOST,
    port: value.PORT ?? defaultPort,
    dataDir,
    databaseUrl: value.DATABASE_URL,
    databaseReplicaUrl: value.DATABASE_REPLICA_URL,
    redisUrl: value.REDIS_URL,
    baseUrl,
    publicUrl: publicOrigin({ baseUrl, host: value.HOST }, webPort),
    smtpUrl: value.SMTP_URL,
    mailFrom: value.MAIL_FROM ?? (value.SMTP_URL && `invoices@${domainOf(value.BASE_URL)}`),
    mailsPerDay: value.MAILS_PER_DAY,
    secretKey: value.SECRET_KEY ?? developmentSecret(dataDir),
    exportStorage: storageLocation(value, dataDir),
    tiers: { ...PUBLISHED_TIERS, ...JSON.parse(value.RATE_LIMIT_TIERS ?? '{}') },
    badCredentialsPerMinute: value.BAD_CREDENTIALS_PER_MINUTE,
    writeTimeoutMs: value.WRITE_TIMEOUT_MS,
    sendTimeoutMs: value.SEND_TIMEOUT_MS,
    unsentBytesPerTenant: value.UNSENT_MB_PER_TENANT * 1024 * 1024,
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
    mcpHosts: value.MCP_HOSTS?.toLowerCase().split(',') ?? [],
    allowLoopback: value.WEBHOOK_ALLOW_LOOPBACK ?? !production,
    trustProxy: value.TRUST_PROXY,
    logLevel: value.LOG_LEVEL,
    demo: value.DEMO ?? (kind === 'all' && !production),
    apiUrl: value.TOW_API_URL && withoutTrailingSlashes(value.TOW_API_URL),
    apiKey: value.TOW_API_KEY,
    failpoints: new Set((value.FAILPOINTS ?? '').split(',').filter(Boolean)),
    tracing: value.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined && !value.OTEL_SDK_DISABLED,
    shutdownDelayMs: shutdownDelayMs(kind, value),
    warnings,
  });
}

/** Long enough for a load balancer that asks every two seconds and believes the second answer. */
const PRODUCTION_SHUTDOWN_DELAY_MS = 5000;

/**
 * Only a separate process that answers requests waits: nothing routes to a worker, and nothing
 * takes over for `npm start`.
 */
function shutdownDelayMs(kind: ProcessKind, value: Settings): number {
  if (kind !== 'web') return 0;
  return value.SHUTDOWN_DELAY_MS ?? (value.NODE_ENV === 'production' ? PRODUCTION_SHUTDOWN_DELAY_MS : 0);
}

/** The secret of a development machine: made once, kept in DATA_DIR, shared by the processes started beside each other. */
function developmentSecret(dataDir: string): string {
  const path = join(dataDir, 'secret-key');
  if (!existsSync(path)) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, randomBytes(48).toString('base64'), { mode: 0o600 });
    try {
      // A link appears whole or not at all: nobody reads a secret that is half written.
      linkSync(draft, path);
    } catch (error) {
      // A process started at the same moment may have made it first; its secret is the one to read.
      if (!existsSync(path)) throw error;
    } finally {
      unlinkSync(draft);
    }
  }
  return readFileSync(path, 'utf8').trim();
}
