import type { OpenConnection, VendorResponse } from '../../contract/connection.js';
import { parseAnswer } from '../../contract/values/parse-answer.js';
import { isObject, type Unread } from '../../contract/values/read-values.js';
import { VendorError } from '../../contract/vendor-error.js';

/** The largest page that Motive returns. */
const PAGE_SIZE = 100;
/** Pages after this one are not read, so that a wrong total ends. */
const MAX_PAGES = 1000;

interface Trouble {
  error_message?: unknown;
  error?: unknown;
}

export interface MotivePage<T> {
  rows: Unread<T>[];
  /** Null on the last page. */
  next: number | null;
  /** True if the page is empty although Motive counts more records. */
  isShort: boolean;
}

/** A list whose rows are wrapped: `{vehicles: [{vehicle: {…}}]}`. */
export interface WrappedList {
  path: string;
  list: string;
  item: string;
  query?: Readonly<Record<string, string>>;
}

/**
 * Reads from Motive's API. The adapter only reads, so every call may be repeated.
 * @throws {VendorError} if Motive refuses the call or does not answer
 */
export async function readMotive<T>({ call, credentials }: OpenConnection, path: string): Promise<T> {
  const response = await call({
    method: 'GET',
    path,
    headers: {
      'x-api-key': String(credentials.api_key),
      // Without it, the units are those that the company has set: miles or kilometers.
      'x-metric-units': 'false',
      accept: 'application/json',
    },
    isRepeatable: true,
  });
  const answer = parseAnswer<T & Trouble>(response, { vendor: 'Motive', isRead: true });
  if (response.status < 300) return answer;
  throw toVendorError(response, answer, path);
}

/**
 * Builds the error for all other refusals. The caller has already handled 401, 429 and 5xx. Motive
 * does not publish the body of its errors.
 */
function toVendorError({ status }: VendorResponse, { error_message, error }: Trouble, path: string) {
  const found = [error_message, error].find((text) => typeof text === 'string') as string | undefined;
  const reason = found?.slice(0, 500) ?? `Motive answered ${status}.`;
  // A key may lack one of its rights.
  const [name = path] = path.split('?');
  const lead = status === 403 ? `Motive does not let this key read ${name}: ` : '';
  return new VendorError(`${lead}${reason}`, {
    kind: status === 403 ? 'auth' : status === 404 ? 'gone' : 'refused',
    code: `http_${status}`,
  });
}

/**
 * Reads one page of a list. Everything on it that is no wrapped object is left out.
 * @throws {VendorError} if Motive refuses the call, does not answer, or answers without a page
 */
export async function readPage<T>(
  connection: OpenConnection,
  { path, list, item, query }: WrappedList,
  page: number,
): Promise<MotivePage<T>> {
  const search = new URLSearchParams({ ...query, per_page: String(PAGE_SIZE), page_no: String(page) });
  const answer = await readMotive<Record<string, unknown>>(connection, `${path}?${search}`);
  const rows = answer[list];
  const { total, per_page }: { total?: unknown; per_page?: unknown } = isObject(answer.pagination)
    ? answer.pagination
    : {};
  const [count, size] = [readCount(total), readCount(per_page)];
  if (!Array.isArray(rows) || count === undefined)
    throw new VendorError('Motive answered without a page.', { kind: 'again', code: 'no_page' });
  // Motive may return smaller pages than the client asked for.
  const pageSize = size === undefined ? PAGE_SIZE : Math.min(Math.max(size, 1), PAGE_SIZE);
  const hasMore = page * pageSize < count && page < MAX_PAGES;
  const isEmpty = rows.length === 0;
  return {
    rows: rows.flatMap((row) => unwrap<T>(row, item)),
    next: hasMore && !isEmpty ? page + 1 : null,
    isShort: isEmpty && (page - 1) * pageSize < count,
  };
}

function readCount(value: unknown): number | undefined {
  const count = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

function unwrap<T>(row: unknown, item: string): Unread<T>[] {
  const wrapped: unknown = isObject(row) ? Object(row)[item] : undefined;
  return isObject(wrapped) ? [wrapped as Unread<T>] : [];
}
