import { toStorableText } from '../../../platform/storable-text.js';
import type { OpenConnection, VendorResponse } from '../../contract/connection.js';
import { parseAnswer } from '../../contract/values/parse-answer.js';
import { isObject, type Unread } from '../../contract/values/read-values.js';
import { VendorError } from '../../contract/vendor-error.js';

/** The version of the API for which this adapter was written. */
const API_VERSION = '2025-06-11';

interface Trouble {
  message?: string;
  requestId?: string;
}

/** A longer cursor is refused. */
const MAX_CURSOR_CHARS = 1000;

interface Pagination {
  endCursor: string;
  hasNextPage: boolean;
}

export interface SamsaraPage<T> {
  data: Unread<T>[];
  /** Names the place after this page. If Samsara returned none, it is that of the request. */
  cursor: string;
  /** True if no page follows now. */
  isLast: boolean;
  /** True if Samsara announced another page, but under the cursor of this one. */
  hasStopped: boolean;
}

/**
 * Reads from Samsara's API. The adapter only reads, so every call may be repeated.
 * @throws {VendorError} if Samsara refuses the call or does not answer
 */
export async function readSamsara<T>(
  { call, credentials }: OpenConnection,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<T> {
  const search = new URLSearchParams(query).toString();
  const response = await call({
    method: 'GET',
    path: search === '' ? path : `${path}?${search}`,
    headers: {
      authorization: `Bearer ${credentials.api_token}`,
      accept: 'application/json',
      'x-samsara-version': API_VERSION,
    },
    isRepeatable: true,
  });
  const answer = parseAnswer<T & Trouble>(response, { vendor: 'Samsara', isRead: true });
  if (response.status < 300) return answer;
  throw toVendorError(response, { ...answer, path });
}

/** Builds the error for all other refusals. The caller has already handled 401, 429 and 5xx. */
function toVendorError(
  { status }: VendorResponse,
  { message, requestId, path }: Trouble & { path: string },
): VendorError {
  const reason = typeof message === 'string' ? message.slice(0, 500) : `Samsara answered ${status}.`;
  // A token may lack one of its rights.
  const lead = status === 403 ? `Samsara does not let this token read ${path}: ` : '';
  return new VendorError(`${lead}${reason}`, {
    kind: status === 403 ? 'auth' : status === 404 ? 'gone' : 'refused',
    code: `http_${status}`,
    vendorRequestId: typeof requestId === 'string' ? requestId : null,
  });
}

/**
 * Reads one page of a list. Everything on it that is no object is left out.
 * @throws {VendorError} if Samsara refuses the call, does not answer, or answers without a page
 */
export async function readPage<T>(
  connection: OpenConnection,
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<SamsaraPage<T>> {
  const { data, pagination } = await readSamsara<{ data?: unknown; pagination?: Partial<Pagination> }>(
    connection,
    path,
    query,
  );
  const { endCursor, hasNextPage } = pagination ?? {};
  const isPage =
    Array.isArray(data) &&
    typeof hasNextPage === 'boolean' &&
    typeof endCursor === 'string' &&
    endCursor.length <= MAX_CURSOR_CHARS &&
    (endCursor !== '' || !hasNextPage);
  if (!isPage) throw new VendorError('Samsara answered without a page.', { kind: 'again', code: 'no_page' });
  const { after = '' } = query;
  // A cursor that does not advance would be read again and again.
  const hasStopped = hasNextPage && endCursor === after;
  const isLast = !hasNextPage || hasStopped;
  const cursor = toStorableText(endCursor) || after;
  return { data: data.filter(isObject), cursor, isLast, hasStopped };
}

/**
 * Reads one page after a cursor. If Samsara refuses the cursor, which may be too old, begins anew.
 * @param anew the query with which the read begins anew; by default, `query`
 */
export async function readPageAfter<T>(
  connection: OpenConnection,
  path: string,
  {
    query,
    after,
    anew = query,
  }: {
    query: Readonly<Record<string, string>>;
    after: string | null | undefined;
    anew?: Readonly<Record<string, string>>;
  },
): Promise<SamsaraPage<T> & { beganAnew: boolean }> {
  if (!after) return { ...(await readPage<T>(connection, path, query)), beganAnew: false };
  try {
    return { ...(await readPage<T>(connection, path, { ...query, after })), beganAnew: false };
  } catch (error) {
    if (!(error instanceof VendorError) || error.code !== 'http_400') throw error;
    return { ...(await readPage<T>(connection, path, anew)), beganAnew: true };
  }
}
