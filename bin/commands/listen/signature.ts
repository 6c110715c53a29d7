import { parseSecret, signatureHeader } from '../../../shared/events/signing.js';

/** The headers that Standard Webhooks asks for, signed for this moment (decisions 8). */
export function signedHeaders(secret: string, id: string, body: string): Record<string, string> {
  const timestampSeconds = Math.floor(Date.now() / 1000);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signatureHeader({ id, timestampSeconds, body, secrets: [parseSecret(secret)] }),
  };
}
