import { canonicalJson } from '../contracts/canonical-json.js';
import { type CursorCodec, type CursorPosition, InvalidCursorError } from '../contracts/cursor.js';
import type { Principal } from '../contracts/principal.js';
import { AppError, errorCodeOf } from '../platform/errors.js';
import type { Database, Statement } from '../platform/postgres.js';
import type { ListScope, PageRow } from './keyset-list.js';

/** A page as its readers frame it. */
export interface Page {
  /** The items' JSON texts, joined by commas, as PostgreSQL rendered them. */
  items: string;
  /** Where the next page begins; null: there is none. */
  cursor: string | null;
  count: number;
}

interface PageRequest<Query> {
  key: Principal;
  /** A name for the list: its cursors go on in no other. */
  list: string;
  query: Query;
  statement: (query: Query, scope: ListScope) => Statement;
}

/** Reads one page of a keyset list. @throws {AppError} 400 invalid_cursor */
export async function readPage<Query extends { cursor?: string }>(
  { db, cursors }: { db: Database; cursors: CursorCodec },
  { key, list, query, statement }: PageRequest<Query>,
): Promise<Page> {
  const binding = bindingOf(key, list, query);
  const scope = {
    tenantId: key.tenantId,
    timeZone: key.timeZone,
    position: readCursor(cursors, query.cursor, binding),
    agentId: key.kind === 'agent' ? key.id : undefined,
  };
  const asked = statement(query, scope);
  const [page] = await db.read<PageRow>(key.tenantId, asked).catch((error: unknown) => {
    throw asked.timeoutMs !== undefined && errorCodeOf(error) === '57014' ? searchTookTooLong(error) : error;
  });
  if (!page) throw new Error('a list statement returned no row');
  const { items, count, next_at: at, next_id: id } = page;
  return { items, count, cursor: at && id ? cursors.encode({ at, id }, binding) : null };
}

/** The client's error, not ours: the next try would take as long. */
function searchTookTooLong(cause: unknown): AppError {
  return new AppError(
    'validation_error',
    'This search took too long. Narrow it: search for three or more letters, or add a status, a customer or dates.',
    { details: [{ field: 'search', code: 'too_broad', message: 'search must be narrower' }], cause },
  );
}

/** A cursor goes on where this very list ended: same tenant, list and filters; the page size may change. */
function bindingOf({ tenantId }: Principal, list: string, query: Record<string, unknown>): string {
  const { cursor: _cursor, limit: _limit, expand: _expand, ...filters } = query;
  return `${tenantId} ${list} ${canonicalJson(filters)}`;
}

function readCursor(
  cursors: CursorCodec,
  cursor: string | undefined,
  binding: string,
): CursorPosition | undefined {
  if (cursor === undefined) return undefined;
  try {
    return cursors.decode(cursor, binding);
  } catch (error) {
    if (!(error instanceof InvalidCursorError)) throw error;
    throw new AppError(
      'invalid_cursor',
      'This cursor is broken or belongs to another list or other filters. Start again without it.',
      { details: [{ field: 'cursor', code: 'invalid', message: 'cursor is not valid for this request' }] },
    );
  }
}
