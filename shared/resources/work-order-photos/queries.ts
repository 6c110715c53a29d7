import type { WorkOrderPhotoListQuery } from '../../contracts/generated.js';
import type { Database, SqlQuery } from '../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { recordsetSql } from '../../records/record-refs.js';
import { workOrderPhotoFields } from './fields.js';

export function listWorkOrderPhotos(query: WorkOrderPhotoListQuery, scope: ListScope): SqlQuery {
  const conditions = new Conditions()
    .add('t.tenant_id = ? and t.deleted_at is null', scope.tenantId)
    .addEqual(query, 'work_order_id');
  return buildListQuery({
    table: 'work_order_photos',
    representation: workOrderPhotoFields.representation('t'),
    conditions,
    limit: query.limit,
    position: scope.position,
  });
}

/** The stored image file of a photo. */
export interface PhotoObject {
  object_key: string;
  content_type: string;
  bytes: number;
  sha256: string;
}

export async function readPhotoObject(
  db: Pick<Database, 'read'>,
  { tenantId, photoId }: { tenantId: string; photoId: string },
): Promise<PhotoObject | undefined> {
  const [row] = await db.read<PhotoObject>(tenantId, {
    name: 'read-photo-object',
    text: `select object_key, content_type, bytes, sha256 from work_order_photos
           where tenant_id = $1 and id = $2 and deleted_at is null`,
    values: [tenantId, photoId],
  });
  return row;
}

/** The facts that decide whether a photo may be stored. */
export interface PhotoRoom {
  tenant_id: string;
  work_order_id: string;
  sha256: string;
  /** Number of photos of the work order. */
  count: number;
  /** Bytes of all photos of the account. */
  account_bytes: number;
  /** Id of a stored photo of the work order with the same picture; null if there is none. */
  duplicate_id: string | null;
}

/**
 * Builds a query that finds the facts about each wanted photo. It omits photos of work orders that
 * do not exist.
 */
export function findPhotoRoom(wanted: Pick<PhotoRoom, 'tenant_id' | 'work_order_id' | 'sha256'>[]): SqlQuery {
  return {
    name: 'find-photo-room',
    text: `select r.tenant_id, r.work_order_id, r.sha256,
             (select count(*)::int from work_order_photos p
              where p.tenant_id = r.tenant_id and p.work_order_id = r.work_order_id and p.deleted_at is null) as count,
             (select coalesce(sum(p.bytes), 0)::float8 from work_order_photos p
              where p.tenant_id = r.tenant_id and p.deleted_at is null) as account_bytes,
             (select p.id from work_order_photos p where p.tenant_id = r.tenant_id and p.work_order_id = r.work_order_id
                and p.sha256 = r.sha256 and p.deleted_at is null) as duplicate_id
           from ${recordsetSql('tenant_id uuid, work_order_id uuid, sha256 text')}
           join work_orders w on w.tenant_id = r.tenant_id and w.id = r.work_order_id`,
    values: [JSON.stringify(wanted)],
  };
}

/** Builds a query that selects, from the given object keys, the keys that belong to photos. */
export function findKnownPhotos(tenantId: string, objectKeys: readonly string[]): SqlQuery {
  return {
    name: 'known-photo-objects',
    text: `select object_key from work_order_photos
           where tenant_id = $1 and object_key = any($2) and deleted_at is null`,
    values: [tenantId, objectKeys],
  };
}
