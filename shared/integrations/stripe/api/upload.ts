import { createHash } from 'node:crypto';
import type { OpenConnection } from '../../contract/connection.js';
import type { EvidenceFile } from '../../contract/payments.js';
import { callStripe } from './client.js';

/**
 * Uploads a file that supports a dispute, and returns its id. A second upload of the file under the
 * same key returns the same id.
 */
export async function uploadEvidence(
  connection: OpenConnection,
  { name, data }: EvidenceFile,
  operationKey: string,
): Promise<string> {
  const digest = createHash('sha256').update(data).digest('hex').slice(0, 32);
  const boundary = `----evidence-${digest}`;
  const { id } = await callStripe<{ id: string }>(connection, {
    method: 'POST',
    path: '/v1/files',
    key: `${operationKey}-${digest}`,
    upload: { boundary, body: encodeMultipart(boundary, name, data) },
  });
  return id;
}

function encodeMultipart(boundary: string, name: string, data: Buffer): Buffer {
  const head = [
    `--${boundary}`,
    'Content-Disposition: form-data; name="purpose"',
    '',
    'dispute_evidence',
    `--${boundary}`,
    `Content-Disposition: form-data; name="file"; filename="${name}"`,
    'Content-Type: application/pdf',
    '',
    '',
  ].join('\r\n');
  return Buffer.concat([Buffer.from(head), data, Buffer.from(`\r\n--${boundary}--\r\n`)]);
}
