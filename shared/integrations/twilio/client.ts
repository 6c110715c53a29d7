import type { OpenConnection, VendorResponse } from '../contract/connection.js';
import { parseAnswer } from '../contract/values/parse-answer.js';
import { VendorError } from '../contract/vendor-error.js';

/** Twilio's code for a recipient who has opted out. */
const OPTED_OUT = 21610;

export interface TwilioRequest {
  method: 'GET' | 'POST';
  /** Path below the account, such as `/Messages.json`. */
  path: string;
  form?: Record<string, string | undefined>;
}

interface TwilioError {
  code?: number;
  message?: string;
}

/**
 * Calls Twilio's API.
 * @throws {VendorError} if Twilio refuses the call or does not respond
 */
export async function callTwilio<T>(connection: OpenConnection, request: TwilioRequest): Promise<T> {
  const { account_sid: account = '' } = connection.credentials;
  return callPath<T>(connection, { ...request, path: `/2010-04-01/Accounts/${account}${request.path}` });
}

/** Calls a path that Twilio itself returned, such as the path of a list's next page. */
export async function callPath<T>(connection: OpenConnection, request: TwilioRequest): Promise<T> {
  const { method, path, form = {} } = request;
  const { account_sid: account = '', auth_token: token = '' } = connection.credentials;
  const given = Object.entries(form).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const encoded = new URLSearchParams(given).toString();
  const isRead = method === 'GET';
  const response = await connection.call({
    method,
    path: isRead && encoded ? `${path}?${encoded}` : path,
    headers: {
      authorization: `Basic ${Buffer.from(`${account}:${token}`).toString('base64')}`,
      ...(isRead ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(isRead ? {} : { body: encoded }),
    // Never repeat a POST, because Twilio has no idempotency keys. Before another attempt, the
    // adapter looks for the text at Twilio.
    isRepeatable: isRead,
  });
  const answer = parseAnswer<T & TwilioError>(response, { vendor: 'Twilio', isRead });
  if (response.status < 300) return answer;
  throw toVendorError(response, answer);
}

/** Builds the error for all other refusals. The caller has already handled 401, 429 and 5xx. */
function toVendorError({ status, headers }: VendorResponse, { code, message }: TwilioError): VendorError {
  return new VendorError(message ?? `Twilio answered ${status}.`, {
    kind: status === 403 ? 'auth' : status === 404 ? 'gone' : 'refused',
    code: code === OPTED_OUT ? 'opted_out' : code === undefined ? `http_${status}` : String(code),
    vendorRequestId: typeof headers['twilio-request-id'] === 'string' ? headers['twilio-request-id'] : null,
  });
}
