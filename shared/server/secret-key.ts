import { deriveKey, hmacSha256 } from '../platform/crypto.js';
import { NO_TENANT } from '../platform/ids.js';
import type { Database } from '../platform/postgres/database.js';
import type { Runtime } from '../platform/process/runtime.js';
import { StartError } from '../platform/start-failure.js';

const FINGERPRINT_NAME = 'secret_key_fingerprint';

/**
 * Returns a fingerprint of a SECRET_KEY. Different keys have different fingerprints. A fingerprint
 * does not reveal its key.
 */
export function computeFingerprint(secretKey: string): string {
  return hmacSha256(deriveKey(secretKey, 'fingerprint'), FINGERPRINT_NAME).toString('hex').slice(0, 32);
}

/**
 * Returns the stored fingerprint of the SECRET_KEY that encrypts the secrets, or undefined if none
 * is stored.
 */
export async function readSecretKeyFingerprint(db: Database): Promise<string | undefined> {
  const [row] = await db.read<{ value: string }>(NO_TENANT, {
    text: 'select value from deployment_facts where tenant_id = $1 and name = $2',
    values: [NO_TENANT, FINGERPRINT_NAME],
  });
  return row?.value;
}

/**
 * Refuses a SECRET_KEY that differs from the key of the other processes. The first process stores
 * the fingerprint of its key. Every later process compares its own fingerprint with the stored one.
 * @throws {StartError} if the keys differ, because a process could not read what another process
 * encrypts or signs
 */
export async function assertSameSecretKey({ db, config }: Pick<Runtime, 'db' | 'config'>): Promise<void> {
  const own = computeFingerprint(config.secretKey);
  await db.transaction([NO_TENANT], (tx) =>
    tx.query({
      text: `insert into deployment_facts (tenant_id, name, value) values ($1, $2, $3)
             on conflict (tenant_id, name) do nothing`,
      values: [NO_TENANT, FINGERPRINT_NAME, own],
    }),
  );
  if ((await readSecretKeyFingerprint(db)) === own) return;
  throw new StartError(
    'SECRET_KEY is not the one that the other processes of this database use: stored secrets could not be read, and links and cursors would be invalid.',
    'Set the same SECRET_KEY in every process. After a planned change, stop all of them and run `tow secret-key adopt` once with the new one.',
  );
}

/**
 * Stores the fingerprint of this SECRET_KEY, which every process must use from now on. `isChanged`
 * is false if this fingerprint was already stored.
 */
export async function adoptSecretKey(db: Database, secretKey: string): Promise<{ isChanged: boolean }> {
  const own = computeFingerprint(secretKey);
  const before = await readSecretKeyFingerprint(db);
  await db.transaction([NO_TENANT], (tx) =>
    tx.query({
      text: `insert into deployment_facts (tenant_id, name, value) values ($1, $2, $3)
             on conflict (tenant_id, name) do update set value = excluded.value, updated_at = now()`,
      values: [NO_TENANT, FINGERPRINT_NAME, own],
    }),
  );
  return { isChanged: before !== own };
}
