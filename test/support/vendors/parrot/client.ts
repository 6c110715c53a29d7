import type { OpenConnection } from '../../../../shared/integrations/contract/connection.js';
import { VendorError } from '../../../../shared/integrations/contract/vendor-error.js';

export async function callParrot<T>(
  connection: OpenConnection,
  request: { method: 'GET' | 'POST'; path: string; body?: object; key?: string },
): Promise<T> {
  const { method, path, body, key } = request;
  const { accessToken, credentials } = connection;
  const response = await connection.call({
    method,
    path,
    headers: {
      authorization: `Bearer ${accessToken ?? credentials.api_key}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(key ? { 'idempotency-key': key } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
    isRepeatable: method === 'GET' || key !== undefined,
  });
  const answer = JSON.parse(response.body.toString('utf8')) as T & { error?: string };
  if (response.status < 300) return answer;
  throw new VendorError(`Parrot refused the text: ${answer.error}.`, {
    kind: 'refused',
    code: `${answer.error}`,
  });
}
