import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Database, Transaction } from '../../../shared/platform/postgres/database.js';
import { openSnapshot, type Snapshot } from '../../../shared/platform/postgres/snapshot.js';
import { computeFingerprint } from '../../../shared/server/secret-key.js';
import { openStorage } from '../../../shared/storage/open-storage.js';
import type { Storage } from '../../../shared/storage/storage.js';
import type { RunCommand } from '../../cli/command.js';
import { CliError, EXIT, usageError } from '../../cli/exit-codes.js';
import { buildReadRows, listMovedTables } from './account-tables.js';
import {
  type DumpedFile,
  type DumpedTable,
  Meter,
  pathOfObject,
  pathOfTable,
  writeManifest,
} from './dump-folder.js';
import {
  type AccountPair,
  type FrozenRow,
  findNamedPair,
  OF_OPERATOR,
  readFrozen,
  waitForEarlierTransactions,
} from './frozen-state.js';

const QUERY_TIMEOUT_MS = 30 * 60_000;

export const READ_SCHEMA = 'select name from schema_migrations order by name desc limit 1';

/**
 * `tow accounts dump`: writes every row of a frozen account and of its sandbox, and their objects
 * in the storage, into a new folder. Only `tow accounts restore` reads it.
 */
export const dumpAccount: RunCommand = async (args, { store, config }) => {
  const { databaseUrl, db } = await store();
  const pair = await findNamedPair(db, args);
  const [liveId = '', ...sandboxIds] = pair.ids;
  const folder = String(args.values.out);
  assertFrozen(pair, await db.runAndRollBack(pair.ids, (tx) => readFrozen(tx, pair.ids)));
  await createFolder(folder);
  // The freeze may still be waiting for them, or its wait may have failed.
  await waitForEarlierTransactions(db);
  const snapshot = await openSnapshot({
    databaseUrl,
    tenantId: liveId,
    otherTenantIds: sandboxIds,
    applicationName: 'tow-snapshot',
    queryTimeoutMs: QUERY_TIMEOUT_MS,
  });
  try {
    // The snapshot itself must show the freeze. Otherwise a release may have come before it.
    const frozen = await readFrozen(snapshot, pair.ids);
    assertFrozen(pair, frozen);
    const [schema] = await snapshot.query<{ name: string }>({ text: READ_SCHEMA });
    const tables = await dumpTables(snapshot, pair.ids, folder);
    const objects = await dumpObjects(openStorage(config().exportStorage), pair.ids, folder);
    const contents = {
      tenantIds: pair.ids,
      dumpedAt: new Date().toISOString(),
      schema: schema?.name ?? '',
      secretKeyFingerprint: computeFingerprint(config().secretKey),
      tables,
      objects,
    };
    await writeManifest(folder, contents, () => markDumped(db, pair, frozen));
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    return {
      data: { tenant_ids: pair.ids, folder, tables: tables.length, rows, objects: objects.length },
      text: `Dumped ${pair.name}: ${rows} rows of ${tables.length} tables and ${objects.length} objects into ${folder}. It contains secrets: copy it over a safe way, and delete it after the move.`,
    };
  } finally {
    await snapshot.close();
  }
};

/**
 * Records that the account was dumped.
 * @throws {CliError} `released` if the freeze that the dump has seen has ended since
 */
async function markDumped(db: Database, { name, ids }: AccountPair, seen: FrozenRow[]): Promise<void> {
  const describe = (rows: FrozenRow[]) => rows.map((row) => `${row.tenant_id} ${row.frozen_at}`).join();
  const mark = async (tx: Transaction) => {
    await tx.query({
      text: 'update frozen_accounts set dumped_at = now() where tenant_id = any ($1::uuid[])',
      values: [ids],
    });
    if (describe(await readFrozen(tx, ids)) === describe(seen)) return;
    throw new CliError(
      'released',
      `${name} was released during the dump, so it may have newer rows. The dump is incomplete: delete it, freeze the account and dump it again.`,
      EXIT.failed,
    );
  };
  await db.transaction(ids, mark, OF_OPERATOR);
}

function assertFrozen({ name, ids }: AccountPair, frozen: FrozenRow[]): void {
  if (frozen.length === ids.length) return;
  throw new CliError('not_frozen', `${name} is not frozen. Run \`tow accounts freeze\` first.`, EXIT.failed);
}

async function createFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
    await mkdir(join(folder, 'tables'), { mode: 0o700 });
    await mkdir(join(folder, 'objects'), { mode: 0o700 });
  } catch (error) {
    throw usageError(`--out must be a new folder: ${(error as Error).message}.`);
  }
}

async function dumpTables(snapshot: Snapshot, ids: string[], folder: string): Promise<DumpedTable[]> {
  await snapshot.query({ text: OUTPUT_FORMATS });
  const dumped: DumpedTable[] = [];
  for (const table of await listMovedTables((query) => snapshot.query(query))) {
    const path = pathOfTable(table.name);
    const meter = new Meter();
    const rows = snapshot.copy({ text: buildReadRows(table, ids) }, 'format text');
    await pipeline(rows, meter, createPrivateFile(join(folder, path)));
    dumped.push({ name: table.name, path, columns: table.columns, ...meter.finish() });
  }
  return dumped;
}

/** Makes the texts of rows independent of the settings of a server or role. */
export const OUTPUT_FORMATS = `select set_config(name, value, true)
  from (values ('datestyle', 'ISO, YMD'), ('intervalstyle', 'postgres'), ('timezone', 'UTC'), ('bytea_output', 'hex'),
               ('extra_float_digits', '1'), ('search_path', 'public')) as settings (name, value)`;

async function dumpObjects(storage: Storage, ids: string[], folder: string): Promise<DumpedFile[]> {
  const dumped: DumpedFile[] = [];
  for (const id of ids) {
    for await (const { key } of storage.list(id)) {
      const object = await storage.open(key);
      // An export that expires while the account is frozen keeps its object. A running purge that
      // began before may still delete one.
      if (!object) continue;
      const path = pathOfObject(dumped.length);
      const meter = new Meter();
      await pipeline(object.stream, meter, createPrivateFile(join(folder, path)));
      const { bytes, sha256 } = meter.finish();
      dumped.push({ name: key, path, bytes, sha256 });
    }
  }
  return dumped;
}

function createPrivateFile(path: string) {
  return createWriteStream(path, { mode: 0o600, flags: 'wx' });
}
