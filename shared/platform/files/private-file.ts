import { randomBytes } from 'node:crypto';
import { chown, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { getErrorCode } from '../errors.js';
import { isRoot } from './is-root.js';

/**
 * Writes a file that only its owner can read. Never leaves a partly written file. Creates missing
 * folders.
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(4).toString('hex')}`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await keepOwner(path, draft);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/**
 * If this process runs as root, gives the draft to the owner of the file that the draft replaces.
 * Otherwise that owner could no longer read the file.
 */
async function keepOwner(file: string, draft: string): Promise<void> {
  if (!isRoot()) return;
  try {
    const { uid, gid } = await stat(file);
    await chown(draft, uid, gid);
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT') throw error;
  }
}
