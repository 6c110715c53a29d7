import { randomBytes } from 'node:crypto';
import { formatErrorReason } from '../platform/start-failure.js';
import { type Storage, StorageError } from './storage.js';

/** No export uses this folder, because the keys of exports start with a tenant id. */
const PROBE_FOLDER = 'start-probe';
const PROBE_METADATA = { contentType: 'text/plain', fileName: 'probe.txt' };

/**
 * Writes and deletes an object.
 * @throws {Error} that describes why storage is not writable
 */
export async function assertWritable(storage: Storage): Promise<void> {
  const key = `${PROBE_FOLDER}/${randomBytes(8).toString('hex')}`;
  try {
    const upload = await storage.create(key, PROBE_METADATA);
    upload.stream.end('probe');
    await upload.commit();
    await storage.delete(key);
  } catch (error) {
    throw createProbeError('written', error);
  }
}

/**
 * Signs a download link or, for a folder, tries to open an object that does not exist. Sends no
 * request to a bucket. S3 returns 403 for a missing object if the caller may not list objects, so
 * the response would prove nothing.
 * @throws {Error} that describes why storage is not readable
 */
export async function assertReadable(storage: Storage): Promise<void> {
  const key = `${PROBE_FOLDER}/none`;
  try {
    if (await storage.createLink(key, { ...PROBE_METADATA, seconds: 60 })) return;
    (await storage.open(key))?.stream.destroy();
  } catch (error) {
    throw createProbeError('read', error);
  }
}

function createProbeError(verb: string, error: unknown): Error {
  const reason = error instanceof StorageError && error.cause ? error.cause : error;
  return new Error(
    `STORAGE_URL cannot be ${verb} (${formatErrorReason(reason)}), so exports will fail. Check that the folder or bucket exists and that this process has permission.`,
    { cause: error },
  );
}
