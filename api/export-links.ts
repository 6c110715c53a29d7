import type { Database } from '../shared/platform/postgres.js';
import { exportObjects } from '../shared/resources/exports/queries.js';
import type { ApiContext } from './context.js';

/** A completed export whose file is to be fetched. */
export interface LinkedExport {
  tenantId: string;
  exportId: string;
  /** Where storage keeps it. */
  objectKey: string;
  fileName: string;
  contentType: string;
}

export interface ExportLink {
  /** Absolute; who has it needs no key. */
  url: string;
  /** RFC 3339. */
  expiresAt: string;
}

/** Makes a link to an export's file; null where there is no storage to fetch it from. */
export type MakeExportLink = (file: LinkedExport) => Promise<ExportLink | null>;

/** What links are made with. */
interface Linking {
  db: Database;
  exportLink: MakeExportLink;
}

interface ExportJson {
  id: string;
  status: string;
  file_name: string;
  content_type: string;
}

/** Puts links into exports that are completed. @param items their JSON texts, joined by commas, as PostgreSQL rendered them */
export async function withLinks(
  { db, exportLink }: Linking,
  items: string,
  tenantId: string,
): Promise<string> {
  // In any other text these quotes would be escaped.
  if (!items.includes('"status":"completed"')) return items;
  const exports = JSON.parse(`[${items}]`) as ExportJson[];
  const completed = exports.filter(({ status }) => status === 'completed').map(({ id }) => id);
  const objects = await db.read<{ id: string; object_key: string }>(
    tenantId,
    exportObjects(tenantId, completed),
  );
  const keys = new Map(objects.map(({ id, object_key }) => [id, object_key]));
  const linked = exports.map(async (one) => {
    const objectKey = keys.get(one.id);
    if (objectKey === undefined) return one;
    const { id: exportId, file_name: fileName, content_type: contentType } = one;
    const link = await exportLink({ tenantId, exportId, objectKey, fileName, contentType });
    return link ? { ...one, download_url: link.url, download_expires_at: link.expiresAt } : one;
  });
  return (await Promise.all(linked)).map((one) => JSON.stringify(one)).join(',');
}

/** {@link withLinks} for a route. */
export function linkExports(api: Linking) {
  return (items: string, ctx: ApiContext): Promise<string> => withLinks(api, items, ctx.state.key.tenantId);
}
