import { FolderStorage } from './folder.js';
import type { StorageLocation } from './location.js';
import { S3Storage } from './s3.js';
import type { Storage } from './storage.js';

/** The storage at a location. Nothing is made or reached before it is used. */
export function openStorage(location: StorageLocation): Storage {
  return location.kind === 'folder' ? new FolderStorage(location.path) : new S3Storage(location);
}
