import type { OpenConnection, VendorResponse } from '../../contract/connection.js';
import { parseAnswer } from '../../contract/values/parse-answer.js';
import { VendorError, type VendorErrorKind } from '../../contract/vendor-error.js';

/** The version of the schema that requests and answers have. */
const MINOR_VERSION = '75';
const THROTTLE_WAIT_MS = 60_000;

/** QuickBooks' codes of faults that the adapter treats in its own way. */
export const STALE = '5010';
export const DUPLICATE_NUMBER = '6140';
export const DUPLICATE_NAME = '6240';

export interface BooksRequest {
  method: 'GET' | 'POST';
  /** Below the path of the company. */
  path: string;
  query?: Record<string, string>;
  body?: object;
  /** QuickBooks' `requestid`, of 50 characters at most. Every write needs one. */
  key?: string;
}

interface Fault {
  Error?: { Message?: string; Detail?: string; code?: string }[];
  type?: string;
}

/**
 * Returns the id of the company that the person chose at the sign-in.
 * @throws {VendorError} if the sign-in named none
 */
export function getRealm({ signInParams }: OpenConnection): string {
  const { realmId = '' } = signInParams;
  if (/^\d{1,30}$/.test(realmId)) return realmId;
  throw new VendorError('The sign-in named no company. Connect again.', { kind: 'auth', code: 'no_company' });
}

/**
 * Calls QuickBooks' API.
 * @throws {VendorError} if QuickBooks refuses the call or does not answer
 */
export async function callBooks<T>(connection: OpenConnection, request: BooksRequest): Promise<T> {
  const { method, path, query = {}, body, key } = request;
  const isRead = method === 'GET';
  const search = new URLSearchParams({
    ...query,
    minorversion: MINOR_VERSION,
    ...(key === undefined ? {} : { requestid: key }),
  });
  const response = await connection.call({
    method,
    path: `/v3/company/${getRealm(connection)}${path}?${search}`,
    headers: {
      authorization: `Bearer ${connection.accessToken}`,
      accept: 'application/json',
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
    isRepeatable: isRead || key !== undefined,
  });
  const answer = parseAnswer<T & { Fault?: Fault; fault?: Fault }>(response, {
    vendor: 'QuickBooks',
    isRead,
  });
  // A fault may come with the status 200.
  const fault = answer.Fault ?? answer.fault;
  if (fault || response.status >= 300) throw toVendorError(response, fault ?? {}, isRead);
  return answer;
}

function toVendorError({ status, headers }: VendorResponse, fault: Fault, isRead: boolean): VendorError {
  const [first = {}] = fault.Error ?? [];
  const { Message, Detail, code = `http_${status}` } = first;
  const texts = [...new Set([Message, Detail])].filter(Boolean).map((text) => String(text).slice(0, 500));
  const kind = findKind({ status, code, type: fault.type ?? '', isRead });
  return new VendorError(texts.join(' ') || `QuickBooks answered ${status}.`, {
    kind,
    code,
    ...(kind === 'limit' ? { retryAfterMs: THROTTLE_WAIT_MS } : {}),
    vendorRequestId: typeof headers.intuit_tid === 'string' ? headers.intuit_tid : null,
  });
}

/** No right, no valid token, no scope, and a company whose subscription has ended. */
const ACCESS_CODES: readonly string[] = ['100', '120', '3100', '3200', '003100', '003200', '6190'];

function findKind({
  status,
  code,
  type,
  isRead,
}: {
  status: number;
  code: string;
  type: string;
  isRead: boolean;
}): VendorErrorKind {
  if (code === '3001' || code === '003001') return 'limit';
  if (status === 403 || ACCESS_CODES.includes(code) || /^Auth/i.test(type)) return 'auth';
  if (code === STALE) return 'conflict';
  if (code === '610' || status === 404) return 'gone';
  if (code === '10000' || /^System/i.test(type)) return isRead ? 'again' : 'unknown_outcome';
  return 'refused';
}

/** Writes a text as a literal of QuickBooks' query language. */
export function quote(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

/** Runs a query, and returns the records of its entity. */
export async function queryBooks<T>(connection: OpenConnection, entity: string, rest: string): Promise<T[]> {
  const { QueryResponse } = await callBooks<{ QueryResponse: Record<string, T[] | undefined> }>(connection, {
    method: 'GET',
    path: '/query',
    query: { query: `select * from ${entity} ${rest}` },
  });
  return QueryResponse[entity] ?? [];
}

/** Reads one record. Returns undefined if it does not exist any more. */
export async function readRecord<T>(
  connection: OpenConnection,
  entity: string,
  id: string,
): Promise<T | undefined> {
  const path = `/${entity.toLowerCase()}/${encodeURIComponent(id)}`;
  try {
    return (await callBooks<Record<string, T>>(connection, { method: 'GET', path }))[entity];
  } catch (error) {
    if (error instanceof VendorError && error.kind === 'gone') return undefined;
    throw error;
  }
}

/** Creates or updates a record, and returns it as QuickBooks stored it. */
export async function writeRecord<T>(
  connection: OpenConnection,
  entity: string,
  { body, key, operation }: { body: object; key: string; operation?: 'void' },
): Promise<T> {
  const answer = await callBooks<Record<string, T>>(connection, {
    method: 'POST',
    path: `/${entity.toLowerCase()}`,
    // A payment is voided by an update that says so.
    query: operation
      ? entity === 'Payment'
        ? { operation: 'update', include: operation }
        : { operation }
      : {},
    body,
    key,
  });
  return answer[entity] as T;
}

/**
 * Runs a write that needs the record's newest version. If another program changed the record
 * meanwhile, reads it again and tries once more.
 */
export async function retryStale<T>(write: (isRepeated: boolean) => Promise<T>): Promise<T> {
  try {
    return await write(false);
  } catch (error) {
    if (!(error instanceof VendorError) || error.code !== STALE) throw error;
    return write(true);
  }
}
