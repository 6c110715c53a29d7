import {
  type CursorCodec,
  type CursorKind,
  type CursorPosition,
  InvalidCursorError,
} from '../../contracts/cursor.js';
import { toCanonicalJson } from '../../contracts/json/canonical-json.js';
import type { Principal } from '../../contracts/principal.js';
import { AppError, getErrorCode } from '../../platform/errors.js';
import type { TenantReads } from '../../platform/postgres/database.js';
import type { ListScope } from './keyset-list.js';
import { type ListQuery, MAX_PAGE_BYTES, type PageRow, withMaxBytes } from './page-query.js';

export interface ListPage {
  /** The items as JSON texts, joined by commas. */
  items: string;
  /** Cursor of the next page; null on the last page. */
  cursor: string | null;
  count: number;
}

export interface PageQuery {
  cursor?: string;
  limit?: number;
  expand?: string;
  sort?: string;
}

interface PageRequest<Query> {
  key: Principal;
  /** The name of the list. A cursor works only in the list that issued it. */
  list: string;
  query: Query;
  buildQuery: (query: Query, scope: ListScope) => ListQuery;
  /**
   * The maximum size of the JSON of all items. The page ends before the first item that would
   * exceed this size.
   */
  maxBytes?: number;
}

/**
 * The number of items that one query reads if the request has `expand`. Such items can be large. A
 * query for a whole page would render many items beyond the byte limit and discard them.
 */
const EXPANDED_ITEMS_PER_QUERY = 50;

/**
 * Reads one page of a list.
 * @throws {AppError} 400 invalid_cursor; 400 validation_error if a search takes too long
 */
export async function readPage<Query extends PageQuery>(
  { db, cursors }: { db: TenantReads; cursors: CursorCodec },
  { key, list, query, buildQuery, maxBytes = MAX_PAGE_BYTES }: PageRequest<Query>,
): Promise<ListPage> {
  const binding = cursorBindingFor(key, list, query);
  const { tenantId, timeZone, clubId } = key;
  const agentId = key.kind === 'agent' ? key.id : undefined;
  const personId = key.kind === 'user' ? key.id : undefined;
  const readRows: ReadRows = async ({ start, limit, bytes }) => {
    const scope = { tenantId, timeZone, position: start, agentId, personId, clubId };
    const listQuery = buildQuery(limit === undefined ? query : { ...query, limit }, scope);
    return readRow(db, tenantId, withMaxBytes(listQuery, bytes));
  };
  const start = readCursor(cursors, query, binding);
  const request = { start, limit: query.limit, bytes: maxBytes };
  const page = await (query.expand ? readInSteps(readRows, request) : readRows(request));
  const { items, count } = page;
  const next = positionAfter(page);
  return { items, count, cursor: next ? cursors.encode(next, binding, cursorKind(query)) : null };
}

async function readRow(db: TenantReads, tenantId: string, { stored, ...whole }: ListQuery): Promise<PageRow> {
  if (stored) {
    const query = { ...whole, ...stored };
    const [page] = await db.read<PageRow | (PageRow & { items: null })>(tenantId, query);
    if (page && page.items !== null) return page;
  }
  const [page] = await db.read<PageRow>(tenantId, whole).catch((error: unknown) => {
    throw whole.timeoutMs !== undefined && getErrorCode(error) === '57014' ? searchTookTooLong(error) : error;
  });
  if (!page) throw new Error('a list query returned no row');
  return page;
}

interface RowsRequest {
  start: CursorPosition | undefined;
  /** Undefined if the client named no limit. */
  limit: number | undefined;
  bytes: number;
}

type ReadRows = (request: RowsRequest) => Promise<PageRow>;

/**
 * Reads {@link EXPANDED_ITEMS_PER_QUERY} items at a time until the page reaches its row limit or
 * byte limit.
 */
async function readInSteps(
  readRows: ReadRows,
  { start, limit = EXPANDED_ITEMS_PER_QUERY, bytes }: RowsRequest,
): Promise<PageRow> {
  let page: PageRow = { items: '', count: 0, next_at: null, next_id: null };
  let step: PageRow;
  do {
    step = await readRows({
      start: positionAfter(page) ?? start,
      limit: Math.min(limit - page.count, EXPANDED_ITEMS_PER_QUERY),
      bytes: bytes - Buffer.byteLength(page.items),
    });
    const items = [page.items, step.items].filter((part) => part !== '').join(',');
    page = { ...step, items, count: page.count + step.count };
    // A query that returned fewer items has reached the row limit, the byte limit or the end of the
    // list.
  } while (positionAfter(page) && step.count === EXPANDED_ITEMS_PER_QUERY && page.count < limit);
  return page;
}

function positionAfter({ next_at: at, next_id: id }: PageRow): CursorPosition | undefined {
  return id === null ? undefined : { at, id };
}

/**
 * Builds a 400 error. After a 5xx, clients would retry, although the retry would take just as long.
 */
function searchTookTooLong(cause: unknown): AppError {
  return new AppError(
    'validation_error',
    'This search took too long. Narrow it: search for three or more letters, or add a status, a customer or dates.',
    { details: [{ field: 'search', code: 'too_broad', message: 'search must be narrower' }], cause },
  );
}

/**
 * Returns the text that binds a cursor to its tenant, list, filters and sort. It omits `limit` and
 * `expand`, so both may change between pages.
 */
function cursorBindingFor({ tenantId }: Principal, list: string, query: PageQuery): string {
  const { cursor: _cursor, limit: _limit, expand: _expand, ...filters } = query;
  return `${tenantId} ${list} ${toCanonicalJson(filters)}`;
}

function cursorKind({ sort }: PageQuery): CursorKind {
  return { isSorted: sort !== undefined };
}

function readCursor(cursors: CursorCodec, query: PageQuery, binding: string): CursorPosition | undefined {
  if (query.cursor === undefined) return undefined;
  try {
    return cursors.decode(query.cursor, binding, cursorKind(query));
  } catch (error) {
    if (!(error instanceof InvalidCursorError)) throw error;
    throw new AppError(
      'invalid_cursor',
      'This cursor is broken or belongs to another list, other filters or another sort. Start again without it.',
      { details: [{ field: 'cursor', code: 'invalid', message: 'cursor is not valid for this request' }] },
    );
  }
}
