import { open } from 'node:fs/promises';

/** Makes the file names in a folder survive a power failure, which a rename alone does not. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
