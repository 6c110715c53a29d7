import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { StorageLocation } from '../../../shared/config/storage-location.js';
import { openStorage } from '../../../shared/storage/open-storage.js';
import type { Storage } from '../../../shared/storage/storage.js';
import { S3Server } from '../../support/exports/s3-server.js';
import { S3_ACCOUNT } from '../../support/exports/s3-signature.js';

export const OBJECT_METADATA = { contentType: 'application/gzip', fileName: 'invoices.csv.gz' };
export const OBJECT_KEY = '01890000-0000-7000-8000-000000000001/01890000-0000-7000-8000-000000000002/1';

export const S3_CREDENTIALS = {
  AWS_ACCESS_KEY_ID: S3_ACCOUNT.id,
  AWS_SECRET_ACCESS_KEY: S3_ACCOUNT.secret,
  AWS_EC2_METADATA_DISABLED: 'true',
};

/** Sets AWS credentials in this process during the tests of one `describe` block. */
export function useAwsCredentials(credentials: Record<string, string> = S3_CREDENTIALS): void {
  const previous: Record<string, string | undefined> = {};
  before(() => {
    for (const name of Object.keys(credentials)) previous[name] = process.env[name];
    Object.assign(process.env, credentials);
  });
  after(() => {
    for (const [name, value] of Object.entries(previous)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
}

export interface TestStorage {
  storage: Storage;
  location: StorageLocation;
  /** Lists all finished objects and unfinished uploads, without using the Storage interface. */
  listLeftovers: () => Promise<string[]>;
  /**
   * Makes the storage forget the bytes of later uploads. Exists only for storage that keeps bytes
   * in memory.
   */
  discardBytes?: () => void;
  remove: () => Promise<void>;
}

export async function createFolderStorage(): Promise<TestStorage> {
  const base = await mkdtemp(join(tmpdir(), 'tow-storage-'));
  const path = join(base, 'exports');
  const location: StorageLocation = { kind: 'folder', path };
  return {
    storage: openStorage(location),
    location,
    listLeftovers: () =>
      readdir(path, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return [];
        throw error;
      }),
    remove: () => rm(base, { recursive: true }),
  };
}

export function buildS3Location({ endpoint, bucket }: S3Server, prefix = 'tow/test'): StorageLocation {
  return { kind: 's3', bucket, prefix, endpoint, region: undefined };
}

export async function createS3Storage(): Promise<TestStorage> {
  const server = await S3Server.start();
  const location = buildS3Location(server);
  return {
    storage: openStorage(location),
    location,
    listLeftovers: async () => [
      ...server.objects.keys(),
      ...[...server.uploads.values()].map(({ key }) => key),
    ],
    discardBytes: () => {
      server.keepsParts = false;
    },
    remove: () => server.stop(),
  };
}

export const computeSha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/**
 * Returns a pseudo-random block of 64 bytes, repeated up to `length`. Equal lengths get equal
 * bytes.
 */
export function generateBytes(length: number): Buffer {
  const block = createHash('sha512').update(String(length)).digest();
  return Buffer.alloc(length, block);
}

/** Splits bytes into chunks, by default of the size that a compressor writes. */
export function* splitIntoChunks(bytes: Buffer, size = 16 * 1024): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export async function putObject(storage: Storage, key: string, bytes: Buffer) {
  const upload = await storage.create(key, OBJECT_METADATA);
  await pipeline(Readable.from(splitIntoChunks(bytes)), upload.stream);
  return upload.commit();
}

export async function getObject(storage: Storage, key: string, range?: { start: number; end: number }) {
  const found = await storage.open(key, range);
  return found && buffer(found.stream);
}

export async function listStorageKeys(storage: Storage, folder = ''): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.list(folder)) keys.push(key);
  return keys.sort();
}

/**
 * Returns the error with which a promise rejects.
 * @throws {Error} if the promise resolves
 */
export async function catchRejection(work: Promise<unknown>): Promise<Error & { code?: string }> {
  const outcome = await work.then(
    () => undefined,
    (error: Error) => error,
  );
  if (!outcome) throw new Error('the promise was not rejected');
  return outcome;
}
