import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { sha256 } from '../../../shared/platform/crypto.js';
import { isUuid } from '../../../shared/platform/ids.js';
import { CliError, EXIT } from '../../cli/exit-codes.js';

const FORMAT = 1;
const MANIFEST = 'manifest.json';

/** A file of a dump: the rows of a table, or an object of the storage. */
export interface DumpedFile {
  /** The table's name or the object's key. */
  name: string;
  /** Relative to the folder of the dump. */
  path: string;
  bytes: number;
  sha256: string;
}

export interface DumpedTable extends DumpedFile {
  columns: string[];
  rows: number;
}

/** What a dump contains. It is written last, so a dump without it is incomplete. */
export interface Manifest {
  format: number;
  /** The live account, then its sandbox. */
  tenantIds: string[];
  dumpedAt: string;
  /** The newest migration of the database. */
  schema: string;
  secretKeyFingerprint: string;
  tables: DumpedTable[];
  objects: DumpedFile[];
}

export const pathOfTable = (name: string): string => join('tables', name);
export const pathOfObject = (index: number): string => join('objects', String(index));

/** Counts and hashes what flows through it. In COPY's text format every line feed ends a row. */
export class Meter extends Transform {
  readonly #hash = createHash('sha256');
  bytes = 0;
  rows = 0;

  override _transform(chunk: Buffer, _encoding: string, done: (error: null, chunk: Buffer) => void): void {
    this.#hash.update(chunk);
    this.bytes += chunk.length;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) this.rows += 1;
    done(null, chunk);
  }

  finish(): { bytes: number; rows: number; sha256: string } {
    return { bytes: this.bytes, rows: this.rows, sha256: this.#hash.digest('hex') };
  }
}

/** Writes the manifest, which completes the dump only if `confirm` resolves. */
export async function writeManifest(
  folder: string,
  manifest: Omit<Manifest, 'format'>,
  confirm: () => Promise<void>,
): Promise<void> {
  const text = JSON.stringify({ format: FORMAT, ...manifest }, null, 1);
  // The first line is the hash of the rest.
  const unconfirmed = join(folder, `${MANIFEST}.unconfirmed`);
  await writeFile(unconfirmed, `${hashText(text)}\n${text}\n`, { mode: 0o600, flag: 'wx' });
  await confirm();
  await rename(unconfirmed, join(folder, MANIFEST));
}

/**
 * Reads the manifest of a dump, and compares each file with it.
 * @throws {CliError} `damaged_dump` if a file is missing or differs, or is not one that a dump has
 */
export async function readCheckedManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => '');
  const [hash = '', ...lines] = text.trimEnd().split('\n');
  if (hashText(lines.join('\n')) !== hash) throw damaged(MANIFEST);
  const manifest = JSON.parse(lines.join('\n')) as Manifest;
  if (manifest.format !== FORMAT || !hasOwnNamesOnly(manifest)) throw damaged(MANIFEST);
  for (const file of [...manifest.tables, ...manifest.objects])
    if ((await hashFile(join(folder, file.path))) !== file.sha256) throw damaged(file.path);
  return manifest;
}

/**
 * Its names become SQL, paths and keys in the storage. The hash does not protect them from someone
 * who can write the folder.
 */
function hasOwnNamesOnly({ tenantIds, tables, objects }: Manifest): boolean {
  return (
    tenantIds.length > 0 &&
    tenantIds.every(isUuid) &&
    tables.every(({ name, path }) => /^[a-z0-9_]+$/.test(name) && path === pathOfTable(name)) &&
    objects.every(
      ({ name, path }, index) =>
        path === pathOfObject(index) && tenantIds.some((id) => name.startsWith(`${id}/`)),
    )
  );
}

function hashText(text: string): string {
  return sha256(text).toString('hex');
}

async function hashFile(path: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk);
  } catch {
    return undefined;
  }
  return hash.digest('hex');
}

function damaged(path: string): CliError {
  return new CliError(
    'damaged_dump',
    `The dump is incomplete or was changed: ${path}. Make another dump; nothing was restored.`,
    EXIT.failed,
  );
}
