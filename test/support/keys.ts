import type { Config } from '../../shared/config/config.js';
import { deriveKey } from '../../shared/platform/crypto.js';
import { newId } from '../../shared/platform/ids.js';
import type { Database } from '../../shared/platform/postgres/database.js';
import { mintKey } from '../../shared/resources/api-keys/credential.js';
import { insertApiKeys } from '../../shared/resources/api-keys/handlers.js';

export interface KeyOptions {
  kind?: 'api' | 'agent';
  permissions?: string[];
  scopes?: string[];
  readOnly?: boolean;
  tier?: string | null;
  expiresAt?: string | null;
}

/**
 * The database that stores an API key, and the secret key of the processes that check the API key.
 */
export interface KeyStore {
  db: Database;
  config: Pick<Config, 'secretKey'>;
}

/**
 * Stores a new key, and returns its plain text. By default, creates an API key with every
 * permission.
 */
export async function issueKey(
  { db, config }: KeyStore,
  tenantId: string,
  options: KeyOptions = {},
  environment: 'live' | 'sandbox' = 'live',
): Promise<string> {
  const { kind = 'api' } = options;
  const { key, material } = mintKey(kind, environment, deriveKey(config.secretKey, 'credentials'));
  const row = {
    tenant_id: tenantId,
    id: newId(),
    kind,
    name: 'test key',
    prefix: material.prefix,
    last_four: material.lastFour,
    key_hash: material.hash,
    permissions: options.permissions ?? (kind === 'api' ? ['read', 'write', 'approve', 'admin'] : []),
    scopes: options.scopes ?? [],
    read_only: options.readOnly ?? false,
    tier: options.tier ?? null,
    rolled_from: null,
    expires_at: options.expiresAt ?? null,
  };
  await db.transaction([tenantId], (tx) => insertApiKeys(tx, [row]));
  return key;
}
