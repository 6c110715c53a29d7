import type { OpenConnection, VendorResponse } from '../../contract/connection.js';
import { VendorError } from '../../contract/vendor-error.js';

/** The version of the API for which this adapter was written. */
const API_VERSION = '2025-06-11';

interface Trouble {
  message?: string;
  requestId?: string;
}

export interface Pagination {
  endCursor: string;
  hasNextPage: boolean;
}

export interface SamsaraPage<T> {
  data: T[];
  pagination: Pagination;
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
  const answer = parseAnswer<T & Trouble>(response);
  if (response.status < 300) return answer;
  throw toVendorError(response, answer);
}

function parseAnswer<T>({ status, body }: VendorResponse): T {
  try {
    const answer = JSON.parse(body.toString('utf8')) as T | null;
    if (typeof answer === 'object' && answer !== null) return answer;
  } catch (cause) {
    throw notJson(status, cause);
  }
  throw notJson(status);
}

function notJson(status: number, cause?: unknown): VendorError {
  return new VendorError(`Samsara answered ${status} without JSON.`, {
    kind: 'again',
    code: 'not_json',
    cause,
  });
}

/** Builds the error for all other refusals. The caller has already handled 401, 429 and 5xx. */
function toVendorError({ status }: VendorResponse, { message, requestId }: Trouble): VendorError {
  return new VendorError(message ?? `Samsara answered ${status}.`, {
    kind: status === 403 ? 'auth' : status === 404 ? 'gone' : 'refused',
    code: `http_${status}`,
    vendorRequestId: typeof requestId === 'string' ? requestId : null,
  });
}

/**
 * Reads one page of a list.
 * @throws {VendorError} if Samsara refuses the call, does not answer, or answers without a page
 */
export async function readPage<T>(
  connection: OpenConnection,
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<SamsaraPage<T>> {
  const page = await readSamsara<Partial<SamsaraPage<T>>>(connection, path, query);
  const { data, pagination } = page;
  if (Array.isArray(data) && typeof pagination?.endCursor === 'string') return { data, pagination };
  throw new VendorError('Samsara answered without a page.', { kind: 'again', code: 'no_page' });
}
