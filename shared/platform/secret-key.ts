import { deriveKey, hmacSha256 } from './crypto.js';
import type { Database } from './postgres.js';
import type { Runtime } from './runtime.js';
import { StartError } from './start-failure.js';

/** Facts of the whole deployment belong to no tenant; their rows have this id. */
const NO_TENANT = '00000000-0000-0000-0000-000000000000';
const NAME = 'secret_key_fingerprint';

/** Tells two SECRET_KEYs apart and says nothing else about either. */
export function fingerprintOf(secretKey: string): string {
  return hmacSha256(deriveKey(secretKey, 'fingerprint'), NAME).toString('hex').slice(0, 32);
}

/**
 * What the database remembers of the SECRET_KEY that its secrets are encrypted with; undefined:
 * nothing yet.
 */
export async function readSecretKeyFingerprint(db: Database): Promise<string | undefined> {
  const [row] = await db.read<{ value: string }>(NO_TENANT, {
    text: 'select value from deployment_facts where tenant_id = $1 and name = $2',
    values: [NO_TENANT, NAME],
  });
  return row?.value;
}

/**
 * Remembers the SECRET_KEY of the first process that starts, and compares that of every later one.
 * @throws {StartError} when it is another one: what one process encrypts or signs, the others could
 * not read
 */
export async function assertSameSecretKey({ db, config }: Pick<Runtime, 'db' | 'config'>): Promise<void> {
  const own = fingerprintOf(config.secretKey);
  await db.transaction([NO_TENANT], (tx) =>
    tx.query({
      text: `insert into deployment_facts (tenant_id, name, value) values ($1, $2, $3)
             on conflict (tenant_id, name) do nothing`,
      values: [NO_TENANT, NAME, own],
    }),
  );
  if ((await readSecretKeyFingerprint(db)) === own) return;
  throw new StartError(
    'SECRET_KEY is not the one that the other processes of this database use: stored secrets could not be read, and links and cursors would not hold.',
    'Set the same SECRET_KEY in every process. After a planned change, stop all of them and run `tow secret-key adopt` once with the new one.',
  );
}

/**
 * Makes this SECRET_KEY the one that every process must have. Resolves with whether it is another
 * one than before.
 */
export async function adoptSecretKey(db: Database, secretKey: string): Promise<{ isChanged: boolean }> {
  const own = fingerprintOf(secretKey);
  const before = await readSecretKeyFingerprint(db);
  await db.transaction([NO_TENANT], (tx) =>
    tx.query({
      text: `insert into deployment_facts (tenant_id, name, value) values ($1, $2, $3)
             on conflict (tenant_id, name) do update set value = excluded.value, updated_at = now()`,
      values: [NO_TENANT, NAME, own],
    }),
  );
  return { isChanged: before !== own };
}
