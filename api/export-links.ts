import type { Config } from '../shared/platform/config.js';
import type { Logger } from '../shared/platform/logger.js';
import type { Database } from '../shared/platform/postgres.js';
import { linkKeyOf, signLink } from '../shared/platform/storage/link-token.js';
import { MAX_LINK_SECONDS, type Storage, StorageError } from '../shared/platform/storage/storage.js';
import { exportObjects } from '../shared/resources/exports/queries.js';
import type { ApiContext } from './context.js';
import type { FindObject } from './routes/export-download.js';

/** A completed export whose file is to be fetched. */
export interface LinkedExport {
  tenantId: string;
  exportId: string;
  /** Where storage keeps it. */
  objectKey: string;
  fileName: string;
  contentType: string;
  sha256: string;
}

export interface ExportLink {
  /** Absolute; who has it needs no key. */
  url: string;
  /** RFC 3339. */
  expiresAt: string;
}

/** Makes a link to an export's file. @param origin under which the caller reaches the API */
export type MakeExportLink = (file: LinkedExport, origin: string) => Promise<ExportLink>;

/** Links that the storage serves, or else the API behind a signed token. */
export function createExportLink(config: Config, storage: Storage): MakeExportLink {
  const key = linkKeyOf(config);
  return async ({ tenantId, exportId, objectKey, sha256, fileName, contentType }, origin) => {
    const expiresAt = new Date(Date.now() + MAX_LINK_SECONDS * 1000);
    const direct = await storage.link(objectKey, { fileName, contentType, seconds: MAX_LINK_SECONDS });
    const token = () => signLink(key, { tenantId, exportId, sha256, expiresAt });
    const url = direct ?? `${config.baseUrl ?? origin}/v1/downloads/${token()}`;
    return { url, expiresAt: expiresAt.toISOString() };
  };
}

/** Finds what a link leads to among the tenant's own exports. */
export function createFindObject(db: Database): FindObject {
  return async (tenantId, exportId) => {
    const [found] = await db.read<ObjectRow>(tenantId, exportObjects(tenantId, [exportId]));
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

/** What links are made with. */
interface Linking {
  db: Database;
  exportLink: MakeExportLink;
  logger: Logger;
}

interface ExportJson {
  id: string;
  status: string;
}

/** Puts links into exports that are completed. @param items their JSON texts, joined by commas, as PostgreSQL rendered them */
export async function withLinks(
  { db, exportLink, logger }: Linking,
  items: string,
  { tenantId, origin }: { tenantId: string; origin: string },
): Promise<string> {
  // In any other text these quotes would be escaped.
  if (!items.includes('"status":"completed"')) return items;
  const exports = JSON.parse(`[${items}]`) as ExportJson[];
  const completed = exports.filter(({ status }) => status === 'completed').map(({ id }) => id);
  const rows = await db.read<ObjectRow>(tenantId, exportObjects(tenantId, completed));
  const objects = new Map(rows.map((row) => [row.id, row]));
  const linked = exports.map(async (one) => {
    const object = objects.get(one.id);
    if (!object) return one;
    const { object_key: objectKey, file_name: fileName, content_type: contentType, sha256 } = object;
    const file = { tenantId, exportId: one.id, objectKey, fileName, contentType, sha256 };
    try {
      const { url, expiresAt } = await exportLink(file, origin);
      return { ...one, download_url: url, download_expires_at: expiresAt };
    } catch (error) {
      // The record is there all the same; its link comes with the storage.
      if (!(error instanceof StorageError)) throw error;
      logger.warn({ err: error, exportId: one.id }, 'no link to the file of an export');
      return one;
    }
  });
  return (await Promise.all(linked)).map((one) => JSON.stringify(one)).join(',');
}

/** {@link withLinks} for a route. */
export function linkExports(api: Linking) {
  return (items: string, { state, protocol, host }: ApiContext): Promise<string> =>
    withLinks(api, items, { tenantId: state.key.tenantId, origin: `${protocol}://${host}` });
}
