import type { OpenConnection, VendorResponse } from '../contract/connection.js';
import type { ClubFile } from '../contract/motor-club.js';
import { parseAnswer, readJson } from '../contract/values/parse-answer.js';
import { VendorError } from '../contract/vendor-error.js';

const INVOICE_API = '/v1/invoice';

export interface RoadSyncRequest {
  method: 'GET' | 'POST' | 'PATCH';
  /** Below the address of the Invoice API. */
  path: string;
  query?: Record<string, string>;
  body?: object;
  file?: ClubFile;
}

/** Maximum number of invoices on a page of RoadSync's list. */
export const MAX_LISTED = 21;

interface Trouble {
  errors?: unknown;
  message?: unknown;
}

/**
 * Calls RoadSync's Invoice API. Returns the member `data` of the answer, or undefined if the answer
 * has no body. RoadSync knows no idempotency keys, so the client never repeats a write.
 * @throws {VendorError} if RoadSync refuses the call or does not answer
 */
export async function callRoadSync(connection: OpenConnection, request: RoadSyncRequest): Promise<unknown> {
  const { call, credentials } = connection;
  const { method, path, query = {}, body, file } = request;
  const search = new URLSearchParams(query).toString();
  const contentType = file?.contentType ?? (body ? 'application/json' : undefined);
  const response = await call({
    method,
    path: `${INVOICE_API}${path}${search === '' ? '' : `?${search}`}`,
    headers: {
      'x-api-key': credentials.api_key ?? '',
      accept: 'application/json',
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
    },
    ...(file ? { body: file.data } : body ? { body: JSON.stringify(body) } : {}),
    isRepeatable: method === 'GET',
  });
  if (response.status === 403 && !isListCall(request)) await assertKeyIsAccepted(connection);
  if (response.status >= 300) throw toVendorError(request, response);
  if (response.body.length === 0) return undefined;
  return parseAnswer<{ data?: unknown }>(response, { vendor: 'RoadSync', isRead: method === 'GET' }).data;
}

const isListCall = ({ method, path }: RoadSyncRequest): boolean => method === 'GET' && path === '/';

/**
 * The gateway before RoadSync answers 403 to an unknown key, and may answer it about one invoice.
 * Only a key that may not read the list either is refused.
 * @throws {VendorError} of the kind `auth` if RoadSync does not accept the key
 */
async function assertKeyIsAccepted(connection: OpenConnection): Promise<void> {
  await callRoadSync(connection, { method: 'GET', path: '/', query: { offset: '0', limit: '1' } });
}

/** Builds the error for all other refusals. The caller has already handled 401, 429 and 5xx. */
function toVendorError(request: RoadSyncRequest, { status, body }: VendorResponse): VendorError {
  const { code, text } = readTrouble(body);
  const isKeyRefused = status === 403 && isListCall(request);
  const kind = isKeyRefused ? 'auth' : status === 404 ? 'gone' : 'refused';
  const message = isKeyRefused
    ? 'RoadSync does not accept the API key.'
    : `RoadSync refused: ${text ?? `it answered ${status}`}.`;
  return new VendorError(message, { kind, code: code ?? `http_${status}` });
}

function readTrouble(body: Buffer): { code?: string | undefined; text?: string | undefined } {
  const { errors, message }: Trouble = readJson(body) ?? {};
  const [first] = (Array.isArray(errors) ? errors : []) as Record<string, unknown>[];
  const code = typeof first?.code === 'string' ? first.code.slice(0, 100) : undefined;
  const text = [first?.title, first?.detail, message, code].find((one) => typeof one === 'string');
  return { code, text: (text as string | undefined)?.slice(0, 500) };
}

/**
 * Without a location, RoadSync takes no invoice. The error stops the connection until a person
 * enters other credentials, and the waiting claims are then sent.
 * @throws {VendorError} of the kind `auth` if the credentials name no location
 */
export function assertLocation({ credentials }: Pick<OpenConnection, 'credentials'>): void {
  if (credentials.location_id !== undefined) return;
  throw new VendorError(
    'RoadSync needs a location. Enter location_id in the credentials of the connection.',
    {
      kind: 'auth',
      code: 'no_location',
    },
  );
}
