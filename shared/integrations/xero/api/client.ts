import { deriveKey } from '../../contract/books/derive-key.js';
import type { OpenConnection, VendorResponse } from '../../contract/connection.js';
import { parseAnswer, readJson } from '../../contract/values/parse-answer.js';
import { VendorError, type VendorErrorKind } from '../../contract/vendor-error.js';

/** The codes of refusals that the adapter treats in its own way. */
export const DUPLICATE_NUMBER = 'duplicate_number';
export const DUPLICATE_NAME = 'duplicate_name';

export interface XeroRequest {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Below the path of the accounting API. */
  path: string;
  query?: Record<string, string>;
  body?: object;
  /** The idempotency key, of 128 characters at most. Every write needs one. */
  key?: string;
  /** Reads only what changed since then: YYYY-MM-DDThh:mm:ss in UTC. */
  modifiedSince?: string;
}

interface ValidationErrors {
  ValidationErrors?: { Message?: string }[];
}

/** The members of an answer that tell of an error. */
interface Trouble {
  ErrorNumber?: number;
  Message?: string;
  Detail?: string;
  Title?: string;
  Elements?: ValidationErrors[];
}

/** An element of an answer. With `summarizeErrors=false`, it may tell of an error of its own. */
interface Element extends ValidationErrors {
  StatusAttributeString?: string;
  HasErrors?: boolean;
  HasValidationErrors?: boolean;
}

/**
 * Calls Xero's accounting API for the organisation of the connection.
 * @throws {VendorError} if Xero refuses the call or does not answer
 */
export async function callXero<T>(connection: OpenConnection, request: XeroRequest): Promise<T> {
  const { externalAccount } = connection;
  if (externalAccount === null)
    throw new VendorError('The organisation is not known. Connect again.', {
      kind: 'auth',
      code: 'no_organisation',
    });
  return callFor<T>(connection, externalAccount, request);
}

/** Calls Xero's accounting API for any organisation that the token reaches. */
export async function callFor<T>(
  connection: OpenConnection,
  tenantId: string,
  { method, path, query = {}, body, key, modifiedSince }: XeroRequest,
): Promise<T> {
  const search = new URLSearchParams(query).toString();
  const isRead = method === 'GET';
  const response = await connection.call({
    method,
    path: `/api.xro/2.0${path}${search === '' ? '' : `?${search}`}`,
    headers: {
      ...buildHeaders(connection),
      'xero-tenant-id': tenantId,
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...(modifiedSince === undefined ? {} : { 'if-modified-since': modifiedSince }),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
    isRepeatable: isRead || key !== undefined,
  });
  return readAnswer<T>(response, isRead);
}

export function buildHeaders({ accessToken }: OpenConnection): Record<string, string> {
  return { authorization: `Bearer ${accessToken}`, accept: 'application/json' };
}

/** @throws {VendorError} if the answer is an error, or no JSON */
export function readAnswer<T>(response: VendorResponse, isRead: boolean): T {
  if (response.status >= 400) throw toVendorError(response, readJson(response.body) ?? {});
  const answer = parseAnswer<T & Trouble>(response, { vendor: 'Xero', isRead });
  if (response.status >= 300) throw toVendorError(response, answer);
  return answer;
}

function toVendorError(
  { status, headers }: VendorResponse,
  { ErrorNumber, Message, Detail, Title, Elements = [] }: Trouble,
): VendorError {
  const details = listMessages(Elements);
  const text = details || Detail || Message || Title || `Xero answered ${status}.`;
  const correlation = headers['xero-correlation-id'];
  return new VendorError(text.slice(0, 1000), {
    kind: findKind(status, text),
    code: findCode(text) ?? String(ErrorNumber ?? `http_${status}`),
    vendorRequestId: typeof correlation === 'string' ? correlation : null,
  });
}

function listMessages(elements: readonly ValidationErrors[]): string {
  const texts = elements.flatMap(({ ValidationErrors = [] }) =>
    ValidationErrors.flatMap(({ Message }) => Message ?? []),
  );
  return [...new Set(texts)].join(' ');
}

function findKind(status: number, text: string): VendorErrorKind {
  // The key is in use for another body. Xero forgets it after some minutes.
  if (status === 409 || status === 412 || /idempotency/i.test(text)) return 'again';
  if (status === 403) return 'auth';
  return status === 404 ? 'gone' : 'refused';
}

/** Xero has numbers for kinds of errors, and tells their causes apart only by their texts. */
function findCode(text: string): string | undefined {
  if (/invoice # must be unique|invoice number.{0,80}(unique|already)/i.test(text)) return DUPLICATE_NUMBER;
  if (/contact name .{0,80}(already|unique)/i.test(text)) return DUPLICATE_NAME;
  return undefined;
}

/** Writes a text as a literal of the filter `where`. */
export function quote(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}

/** Reads one record. Returns undefined if Xero does not know it. */
export async function readOne<T>(
  connection: OpenConnection,
  list: 'Contacts' | 'Invoices' | 'Payments',
  id: string,
): Promise<T | undefined> {
  const path = `/${list}/${encodeURIComponent(id)}`;
  try {
    const answer = await callXero<Record<string, T[] | undefined>>(connection, { method: 'GET', path });
    return answer[list]?.[0];
  } catch (error) {
    if (error instanceof VendorError && error.kind === 'gone') return undefined;
    throw error;
  }
}

/** The write of one record: PUT creates it, and POST changes it. */
export interface RecordWrite {
  method: 'PUT' | 'POST';
  record: object;
  /** The key of the operation. The content becomes a part of the idempotency key. */
  key: string;
}

/**
 * Creates or changes a record, and returns it as Xero stored it.
 * @throws {VendorError} `refused` if the record in the answer has errors
 */
export async function writeOne<T>(
  connection: OpenConnection,
  list: 'Contacts' | 'Invoices' | 'Payments',
  { method, record, key }: RecordWrite,
): Promise<T> {
  const answer = await callXero<Record<string, (T & Element)[] | undefined>>(connection, {
    method,
    path: `/${list}`,
    query: { summarizeErrors: 'false' },
    body: { [list]: [record] },
    key: deriveKey(key, record),
  });
  const [written] = answer[list] ?? [];
  if (!written)
    throw new VendorError('Xero answered without the record.', {
      kind: 'unknown_outcome',
      code: 'no_record',
    });
  const { StatusAttributeString, HasErrors = false, HasValidationErrors = false } = written;
  if (StatusAttributeString !== 'ERROR' && !HasErrors && !HasValidationErrors) return written;
  const text = listMessages([written]) || 'Xero refused the record without a reason.';
  throw new VendorError(text, { kind: findKind(400, text), code: findCode(text) ?? 'refused' });
}
