import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { KEPT_WEEKS_BACK, maintainPartitions } from '../../../migrations/partitions.js';
import type { Database } from '../../../shared/platform/postgres/database.js';
import { computeFingerprint, readSecretKeyFingerprint } from '../../../shared/server/secret-key.js';
import { openStorage } from '../../../shared/storage/open-storage.js';
import type { Storage } from '../../../shared/storage/storage.js';
import type { RunCommand } from '../../cli/command.js';
import { CliError, EXIT } from '../../cli/exit-codes.js';
import { READ_SCHEMA } from './dump.js';
import { type DumpedFile, type Manifest, readCheckedManifest } from './dump-folder.js';
import { restoreRows } from './restore-rows.js';

const POLL_MS = 200;

/**
 * `tow accounts restore`: stores a dumped account in this deployment, in one transaction, and
 * compares the stored rows with the dump. The account stays frozen until `tow accounts release`.
 */
export const restoreAccount: RunCommand = async ({ positionals }, { store, config }) => {
  const folder = String(positionals[0]);
  const manifest = await readCheckedManifest(folder);
  const { databaseUrl, db } = await store();
  const { secretKey, exportStorage } = config();
  await assertRestorable(db, manifest, secretKey);
  // Otherwise old events would go into a default partition, which is never dropped.
  await createOldPartitions(databaseUrl);
  // Objects come first, so that the restored rows never lack one. If the rows fail, another run
  // overwrites the objects.
  await restoreObjects(openStorage(exportStorage), manifest.objects, folder);
  const rows = await restoreRows(databaseUrl, manifest, folder);
  const { tenantIds, tables, objects } = manifest;
  return {
    data: { tenant_ids: tenantIds, tables: tables.length, rows, objects: objects.length },
    text: `Restored ${rows} rows of ${tables.length} tables and ${objects.length} objects, and compared them with the dump. The account is frozen here; \`tow accounts release --tenant ${tenantIds[0]}\` lets it write.`,
  };
};

/** A database that is younger than the kept weeks lacks their partitions. */
async function createOldPartitions(databaseUrl: string): Promise<void> {
  for (;;) {
    const changes = await maintainPartitions(databaseUrl, { weeksBack: KEPT_WEEKS_BACK });
    if (changes && changes.failures.length > 0) throw new Error(changes.failures.join('; '));
    if (changes) return;
    // The clock creates partitions at this moment.
    await sleep(POLL_MS);
  }
}

async function assertRestorable(db: Database, manifest: Manifest, secretKey: string): Promise<void> {
  const { tenantIds, schema, secretKeyFingerprint } = manifest;
  const [own] = await db.query<{ name: string }>({ text: READ_SCHEMA });
  if (own?.name !== schema) {
    throw refused(
      'other_schema',
      `The dump has the schema ${schema}, and this database has ${own?.name}. Bring both deployments to the same release first.`,
    );
  }
  const fingerprint = computeFingerprint(secretKey);
  const stored = (await readSecretKeyFingerprint(db)) ?? fingerprint;
  if (fingerprint !== secretKeyFingerprint || stored !== secretKeyFingerprint) {
    throw refused(
      'other_secret_key',
      'This deployment has another SECRET_KEY than the one of the dump, so it could not read the secrets of the account. Both must have the same.',
    );
  }
  const existing = await db.runAndRollBack(tenantIds, (tx) =>
    tx.query({
      text: 'select tenant_id from tenants where tenant_id = any ($1::uuid[])',
      values: [tenantIds],
    }),
  );
  if (existing.length > 0)
    throw refused('account_exists', 'This deployment already has the account. Nothing was restored.');
}

function refused(code: string, message: string): CliError {
  return new CliError(code, message, EXIT.failed);
}

async function restoreObjects(
  storage: Storage,
  objects: readonly DumpedFile[],
  folder: string,
): Promise<void> {
  for (const { name, path, sha256 } of objects) {
    // The name and the type for downloads come from the row, also for a link to a bucket.
    const about = { contentType: 'application/octet-stream', fileName: 'file' };
    const upload = await storage.create(name, about);
    try {
      await pipeline(createReadStream(join(folder, path)), upload.stream);
      if ((await upload.commit()).sha256 !== sha256) throw new Error(`${path} changed during the restore`);
    } catch (error) {
      await upload.abort();
      throw error;
    }
  }
}
