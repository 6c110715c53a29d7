import type { Config } from '../../shared/config/config.js';
import type { Logger } from '../../shared/platform/logger.js';
import type { Database } from '../../shared/platform/postgres/database.js';
import { findExportObjects } from '../../shared/resources/exports/queries.js';
import { deriveExportLinkKey, signLink } from '../../shared/storage/link-token.js';
import { MAX_LINK_SECONDS, type Storage, StorageError } from '../../shared/storage/storage.js';
import type { ApiContext } from './context.js';

export interface DownloadableExport {
  tenantId: string;
  exportId: string;
  objectKey: string;
  fileName: string;
  contentType: string;
  sha256: string;
}

/** The file of a completed export. */
export interface DownloadObject {
  /** Key in storage. */
  key: string;
  fileName: string;
  contentType: string;
  /** In hexadecimal digits. */
  sha256: string;
  bytes: number;
}

/**
 * Finds the file of a tenant's export. Returns undefined if the export cannot be downloaded now.
 */
export type FindDownloadObject = (tenantId: string, exportId: string) => Promise<DownloadObject | undefined>;

export interface ExportLink {
  /** The absolute URL. A client that has the URL needs no key. */
  url: string;
  /** In the format of RFC 3339. */
  expiresAt: string;
}

/**
 * Creates a link to an export's file.
 * @param origin the origin under which the client reaches the API
 */
export type MakeExportLink = (file: DownloadableExport, origin: string) => Promise<ExportLink>;

/**
 * Returns a function that creates links. If the storage can create links, a link leads directly to
 * the storage. Otherwise the link leads to the API's /downloads and contains a signed token.
 */
export function createExportLinkMaker(config: Config, storage: Storage): MakeExportLink {
  const key = deriveExportLinkKey(config);
  return async ({ tenantId, exportId, objectKey, sha256, fileName, contentType }, origin) => {
    const expiresAt = new Date(Date.now() + MAX_LINK_SECONDS * 1000);
    const direct = await storage.createLink(objectKey, { fileName, contentType, seconds: MAX_LINK_SECONDS });
    const token = () => signLink(key, { tenantId, exportId, sha256, expiresAt });
    const url = direct ?? `${config.baseUrl ?? origin}/v1/downloads/${token()}`;
    return { url, expiresAt: expiresAt.toISOString() };
  };
}

export function createDownloadObjectFinder(db: Database): FindDownloadObject {
  return async (tenantId, exportId) => {
    const [found] = await db.read<ObjectRow>(tenantId, findExportObjects(tenantId, [exportId]));
    if (!found) return undefined;
    const { object_key: key, file_name: fileName, content_type: contentType, sha256, bytes } = found;
    return { key, fileName, contentType, sha256, bytes };
  };
}

interface ObjectRow {
  id: string;
  object_key: string;
  file_name: string;
  content_type: string;
  sha256: string;
  bytes: number;
}

interface LinkDependencies {
  db: Database;
  makeExportLink: MakeExportLink;
  logger: Logger;
}

interface ExportJson {
  id: string;
  status: string;
}

/**
 * Adds download links to completed exports.
 * @param items the exports' JSON texts, joined by commas, as PostgreSQL rendered them
 */
export async function addDownloadLinks(
  { db, makeExportLink, logger }: LinkDependencies,
  items: string,
  { tenantId, origin }: { tenantId: string; origin: string },
): Promise<string> {
  // Only completed exports get a link. No value can contain this text, because JSON escapes quotes.
  if (!items.includes('"status":"completed"')) return items;
  const exports = JSON.parse(`[${items}]`) as ExportJson[];
  const completed = exports.filter(({ status }) => status === 'completed').map(({ id }) => id);
  const rows = await db.read<ObjectRow>(tenantId, findExportObjects(tenantId, completed));
  const objects = new Map(rows.map((row) => [row.id, row]));
  const linked = exports.map(async (one) => {
    const object = objects.get(one.id);
    if (!object) return one;
    const { object_key: objectKey, file_name: fileName, content_type: contentType, sha256 } = object;
    const file = { tenantId, exportId: one.id, objectKey, fileName, contentType, sha256 };
    try {
      const { url, expiresAt } = await makeExportLink(file, origin);
      return { ...one, download_url: url, download_expires_at: expiresAt };
    } catch (error) {
      // Return the export without a link. A later read adds the link once the storage works again.
      if (!(error instanceof StorageError)) throw error;
      logger.warn({ err: error, exportId: one.id }, 'the download link of an export could not be created');
      return one;
    }
  });
  return (await Promise.all(linked)).map((one) => JSON.stringify(one)).join(',');
}

/**
 * Returns a function that adds download links, for a route's `transformItems` or
 * `transformResponse`.
 */
export function createDownloadLinkAdder(api: LinkDependencies) {
  return (items: string, { state, protocol, host }: ApiContext): Promise<string> =>
    addDownloadLinks(api, items, { tenantId: state.key.tenantId, origin: `${protocol}://${host}` });
}
