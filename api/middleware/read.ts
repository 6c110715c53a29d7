import type Joi from 'joi';
import { type Access, assertAccess } from '../../shared/contracts/access.js';
import type { Principal } from '../../shared/contracts/principal.js';
import { notFound } from '../../shared/platform/errors.js';
import { isUuid } from '../../shared/platform/ids.js';
import type { Statement } from '../../shared/platform/postgres.js';
import type { ListScope } from '../../shared/resources/keyset-list.js';
import { type PageQuery, readPage } from '../../shared/resources/list-page.js';
import { readStatement } from '../../shared/resources/sets.js';
import type { ApiContext, ApiMiddleware } from '../context.js';
import type { ApiRuntime } from '../runtime.js';
import { readQuery, readsQuery } from './query.js';
import { setVersion } from './version.js';

interface ListOptions<Query> {
  access: Access;
  schema: Joi.ObjectSchema<Query>;
  statement: (query: Query, scope: ListScope) => Statement;
  /** The record in the path whose list this is; its id becomes this member of the query. */
  parent?: { entityType: string; what: string; member: keyof Query & string };
  /** Adds to the items' JSON texts, joined by commas, what the database does not know. */
  present?: (items: string, ctx: ApiContext) => Promise<string>;
}

/** A keyset list in the paginated envelope (specification section 2.4). PostgreSQL renders the items; they pass through untouched. */
export function list<Query extends PageQuery>(api: ApiRuntime, options: ListOptions<Query>): ApiMiddleware {
  return readsQuery(async (context) => {
    const ctx = context as ApiContext;
    const { key } = ctx.state;
    assertAccess(key, options.access);
    const parent = await parentOf(ctx, api, options.parent);
    const query = { ...readQuery(ctx, options.schema), ...parent };
    const page = await readPage(api, { key, list: ctx.state.route, query, statement: options.statement });
    const items = (await options.present?.(page.items, ctx)) ?? page.items;
    ctx.type = 'application/json';
    // As bytes: Koa would walk a long string once to measure it and once more to send it.
    ctx.body = Buffer.from(
      `{"ok":true,"data":{"items":[${items}],"cursor":${JSON.stringify(page.cursor)},"count":${page.count}}}`,
    );
  });
}

/** A list of a record that does not exist is no empty list. */
async function parentOf(
  ctx: ApiContext,
  api: ApiRuntime,
  parent: ListOptions<never>['parent'],
): Promise<Record<string, string>> {
  if (!parent) return {};
  const { tenantId } = ctx.state.key;
  const id = String(ctx.params.id).toLowerCase();
  if (!isUuid(id)) throw notFound(parent.what);
  const [found] = await api.db.read(tenantId, readStatement(parent.entityType, { tenant_id: tenantId, id }));
  if (!found) throw notFound(parent.what);
  return { [parent.member]: id };
}

interface ReadOptions {
  access: Access;
  entityType: string;
  /** What is said to be missing when there is no such record. */
  what: string;
  /** Hides a record of the tenant from keys that may see some of them only. */
  isVisible?: (body: string, key: Principal) => boolean;
  /** Adds to its JSON text what the database does not know. */
  present?: (body: string, ctx: ApiContext) => Promise<string>;
}

/** One record, bare (decisions 1, row 1). A malformed, unknown or foreign id is the same 404. */
export function readOne(
  api: ApiRuntime,
  { access, entityType, what, isVisible, present }: ReadOptions,
): ApiMiddleware {
  return async (context) => {
    const ctx = context as ApiContext;
    const { key } = ctx.state;
    assertAccess(key, access);
    const { id } = ctx.params;
    if (!isUuid(id)) throw notFound(what);
    const statement = readStatement(entityType, { tenant_id: key.tenantId, id });
    const [row] = await api.db.read<{ body: string }>(key.tenantId, statement);
    if (!row || isVisible?.(row.body, key) === false) throw notFound(what);
    ctx.type = 'application/json';
    setVersion(ctx, row.body);
    ctx.body = (await present?.(row.body, ctx)) ?? row.body;
  };
}
