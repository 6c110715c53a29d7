import type { StorageLocation } from '../config/storage-location.js';
import { FolderStorage } from './folder.js';
import { S3Storage } from './s3.js';
import type { Storage } from './storage.js';

/** Returns the storage at a location. Creates folders, or connects to S3, only on first use. */
export function openStorage(location: StorageLocation): Storage {
  return location.kind === 'folder' ? new FolderStorage(location.path) : new S3Storage(location);
}
