import type Joi from 'joi';
import { type Access, assertAccess } from '../../shared/contracts/access.js';
import type { Principal } from '../../shared/contracts/principal.js';
import { notFound } from '../../shared/platform/errors.js';
import { isUuid } from '../../shared/platform/ids.js';
import type { SqlQuery } from '../../shared/platform/postgres/database.js';
import {
  EXTERNAL_IDS,
  type ExternalEntity,
  readExternalIds,
  recordQuery,
} from '../../shared/records/expansions/external-ids.js';
import type { ListScope } from '../../shared/records/lists/keyset-list.js';
import { type PageQuery, readPage } from '../../shared/records/lists/list-page.js';
import { readRecord } from '../../shared/records/render-records.js';
import { getReadAccess, getResourceLabel, getResourceTable } from '../../shared/registry/tables.js';
import type { ApiContext, ApiMiddleware } from '../runtime/context.js';
import { declareFacts } from '../runtime/route-facts.js';
import type { ApiRuntime } from '../runtime/runtime.js';
import { setETag } from './etag.js';
import { readQuery } from './query.js';

interface ListOptions<Query> {
  access: Access;
  schema: Joi.ObjectSchema<Query>;
  buildQuery: (query: Query, scope: ListScope) => SqlQuery;
  /**
   * Set if the list belongs to a record in the path, such as the payments of an invoice.
   * `entityType` is the kind of that record. `member` is the member of the query that receives the
   * id of that record.
   */
  parent?: { entityType: string; member: keyof Query & string };
  /**
   * Adds members that the database does not store. `items` contains the items' JSON texts, joined
   * by commas.
   */
  transformItems?: (items: string, ctx: ApiContext) => Promise<string>;
}

/**
 * Responds with one page of a keyset-paginated list in its envelope (docs/specification.md §2.4).
 * PostgreSQL renders the items as JSON text. Only `transformItems` changes this text.
 */
export function serveList<Query extends PageQuery>(
  api: ApiRuntime,
  options: ListOptions<Query>,
): ApiMiddleware {
  const { access, schema } = options;
  return declareFacts({ access, query: schema, isList: true, readsReplica: true }, async (ctx) => {
    const { key } = ctx.state;
    assertAccess(key, access);
    const parent = await readParent(ctx, api, options.parent);
    const query = { ...readQuery(ctx, schema), ...parent };
    const { cursors } = api;
    const db = api.consistency.chooseReads(ctx);
    const request = { key, list: ctx.state.route, query, buildQuery: options.buildQuery };
    const page = await readPage({ db, cursors }, request);
    const items = (await options.transformItems?.(page.items, ctx)) ?? page.items;
    ctx.type = 'application/json';
    // Send a Buffer: Koa would read a long string twice, once to measure it and once to send it.
    ctx.body = Buffer.from(
      `{"ok":true,"data":{"items":[${items}],"cursor":${JSON.stringify(page.cursor)},"count":${page.count}}}`,
    );
  });
}

/**
 * Returns the query member that contains the parent record's id. Returns no member for a list
 * without a parent.
 * @throws {AppError} 404 if the parent does not exist; otherwise its list would look empty
 */
async function readParent(
  ctx: ApiContext,
  api: ApiRuntime,
  parent: ListOptions<never>['parent'],
): Promise<Record<string, string>> {
  if (!parent) return {};
  const { tenantId } = ctx.state.key;
  const label = getResourceLabel(parent.entityType);
  const id = String(ctx.params.id).toLowerCase();
  if (!isUuid(id)) throw notFound(label);
  const found = await readRecord(api.db, getResourceTable(parent.entityType), { tenant_id: tenantId, id });
  if (found === undefined) throw notFound(label);
  return { [parent.member]: id };
}

interface ReadOptions {
  /**
   * Returns false to hide the record (404) from a key that may see only some of the tenant's
   * records.
   */
  isVisible?: (body: string, key: Principal) => boolean;
  /** Adds members that the database does not store. */
  transformResponse?: (body: string, ctx: ApiContext) => string | Promise<string>;
  /** Set if `expand=external_ids` adds the vendors' ids of the record. */
  externalIdsOf?: ExternalEntity;
}

/**
 * Responds with a record, without an envelope (docs/decisions.md §1, row 1). A malformed id, an
 * unknown id and an id of another tenant all get the same 404.
 */
export function serveRecord(
  api: ApiRuntime,
  entityType: string,
  { isVisible, transformResponse, externalIdsOf }: ReadOptions = {},
): ApiMiddleware {
  const access = getReadAccess(entityType);
  const label = getResourceLabel(entityType);
  const query = externalIdsOf ? { query: recordQuery } : {};
  return declareFacts({ access, entityType, ...query }, async (ctx) => {
    const { key } = ctx.state;
    assertAccess(key, access);
    const isExpanded = externalIdsOf && readQuery(ctx, recordQuery).expand?.split(',').includes(EXTERNAL_IDS);
    const { id } = ctx.params;
    if (!isUuid(id)) throw notFound(label);
    const ref = { tenant_id: key.tenantId, id };
    const body = await readRecord(api.db, getResourceTable(entityType), ref);
    if (body === undefined || isVisible?.(body, key) === false) throw notFound(label);
    ctx.type = 'application/json';
    setETag(ctx, body);
    const transformed = (await transformResponse?.(body, ctx)) ?? body;
    ctx.body = isExpanded
      ? `${transformed.slice(0, -1)},"${EXTERNAL_IDS}":${await readExternalIds(api.db, externalIdsOf, ref)}}`
      : transformed;
  });
}
