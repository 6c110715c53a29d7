import { randomBytes } from 'node:crypto';
import { reasonOfFailure } from '../start-failure.js';
import { type Storage, StorageError } from './storage.js';

/** No export has such a key: theirs begin with the id of a tenant. */
const FOLDER = 'start-probe';
const ABOUT = { contentType: 'text/plain', fileName: 'probe.txt' };

/** Writes an object and removes it again. @throws {Error} saying what the place refuses */
export async function assertWritable(storage: Storage): Promise<void> {
  const key = `${FOLDER}/${randomBytes(8).toString('hex')}`;
  try {
    const upload = await storage.create(key, ABOUT);
    upload.stream.end('probe');
    await upload.commit();
    await storage.delete(key);
  } catch (error) {
    throw unusable('written', error);
  }
}

/**
 * Makes a link as for a download or, where the API serves downloads itself, looks for an object
 * that is not there. A bucket is not asked: it answers a missing object with a refusal unless
 * objects may be listed as well.
 * @throws {Error} saying what the place refuses
 */
export async function assertReadable(storage: Storage): Promise<void> {
  const key = `${FOLDER}/none`;
  try {
    if (await storage.link(key, { ...ABOUT, seconds: 60 })) return;
    (await storage.open(key))?.stream.destroy();
  } catch (error) {
    throw unusable('read', error);
  }
}

function unusable(verb: string, error: unknown): Error {
  const reason = error instanceof StorageError && error.cause ? error.cause : error;
  return new Error(
    `STORAGE_URL cannot be ${verb} (${reasonOfFailure(reason)}), so exports will fail. Check that the folder or bucket exists and that this process has the right.`,
    { cause: error },
  );
}
