import { readFile } from 'node:fs/promises';
import type { Config } from '../../shared/config/config.js';
import { sha256 } from '../../shared/platform/crypto.js';
import { getErrorCode } from '../../shared/platform/errors.js';
import { writePrivateFile } from '../../shared/platform/files/private-file.js';
import type { Logger } from '../../shared/platform/logger.js';
import type { Database, Transaction } from '../../shared/platform/postgres/database.js';
import { DEMO_KEY_FIELDS, type DemoCredentials } from './credentials.js';
import { getDemoFilePath } from './demo-file-path.js';
import { DEMO_PROFILES } from './records/tenants.js';
import {
  hasDemo,
  renewCredentialsUnderLock,
  type SeedOptions,
  seedUnderLock,
  withDemoLock,
} from './seed-demo.js';

/** `<DATA_DIR>/demo.json`: addresses and credentials of the demo (docs/decisions.md §6). */
export interface DemoFile {
  /** Ends in /v1. */
  api_url: string;
  mcp_url: string;
  dashboard_url: string;
  tenants: DemoCredentials[];
}

export interface DemoAddresses {
  /** Ends in /v1. */
  apiUrl: string;
  mcpUrl: string;
  dashboardUrl: string;
}

export interface EnsureDemoOptions {
  config: Pick<Config, 'dataDir' | 'secretKey'>;
  addresses: DemoAddresses;
  logger: Pick<Logger, 'info' | 'warn'>;
}

/**
 * Creates the demo if the database has none, and writes demo.json (mode 0600) with the current
 * addresses. Keeps the credentials of an existing file if its keys are valid in this database.
 * Otherwise creates new credentials.
 * A lock makes concurrent processes run one after another. The file is written before the commit.
 * If the commit fails, the next start finds that the file's keys are invalid and replaces them.
 */
export function ensureDemo(
  db: Database,
  { config, addresses, logger }: EnsureDemoOptions,
): Promise<DemoFile> {
  const path = getDemoFilePath(config.dataDir);
  const publicUrl = addresses.apiUrl.replace(/\/v1$/, '');
  const options = { secretKey: config.secretKey, publicUrl, logger };
  return withDemoLock(db, async (tx) => {
    const file: DemoFile = {
      api_url: addresses.apiUrl,
      mcp_url: addresses.mcpUrl,
      dashboard_url: addresses.dashboardUrl,
      tenants: await ensureCredentials(tx, path, options),
    };
    await writePrivateFile(path, `${JSON.stringify(file, null, 2)}\n`);
    return file;
  });
}

async function ensureCredentials(
  tx: Transaction,
  path: string,
  options: SeedOptions,
): Promise<DemoCredentials[]> {
  if (!(await hasDemo(tx))) return seedUnderLock(tx, options);
  const kept = await readTenants(path, options.logger);
  return kept && (await areKeysValid(tx, kept)) ? kept : renewCredentialsUnderLock(tx, options);
}

/**
 * Reads the credentials in demo.json. Resolves with undefined if the file is missing or unusable.
 */
async function readTenants(
  path: string,
  logger: EnsureDemoOptions['logger'],
): Promise<DemoCredentials[] | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  const tenants = parseTenants(text);
  if (!tenants) logger.warn({ path }, 'demo.json cannot be used; making a new one');
  return tenants;
}

function parseTenants(text: string): DemoCredentials[] | undefined {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    return undefined;
  }
  const tenants = file !== null && typeof file === 'object' && 'tenants' in file ? file.tenants : undefined;
  if (!Array.isArray(tenants) || tenants.length !== DEMO_PROFILES.length) return undefined;
  return tenants.every(isDemoTenant) ? tenants : undefined;
}

function isDemoTenant(value: unknown): value is DemoCredentials {
  if (value === null || typeof value !== 'object') return false;
  return ['name', 'email', 'password', ...DEMO_KEY_FIELDS].every(
    (field) => typeof Reflect.get(value, field) === 'string',
  );
}

/**
 * True if the `api_key` of every company is valid. Other keys are not checked: a person may have
 * revoked one as a test, and must not lose the file because of that.
 */
async function areKeysValid(tx: Transaction, tenants: readonly DemoCredentials[]): Promise<boolean> {
  const hashes = tenants.map(({ api_key }) => sha256(api_key));
  const rows = await tx.query<{ tenant_id: string }>({
    text: `select tenant_id from api_keys
           where key_hash = any($1::bytea[]) and revoked_at is null and (expires_at is null or expires_at > now())`,
    values: [hashes],
  });
  const validTenantIds = new Set(rows.map((row) => row.tenant_id));
  return DEMO_PROFILES.every(({ pair }) => validTenantIds.has(pair.live));
}
