import { open } from 'node:fs/promises';

/**
 * Makes created and renamed files in a folder survive a power failure. Without this sync, a power
 * failure could undo a rename.
 */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
