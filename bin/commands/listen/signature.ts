import { buildSignatureHeader, parseSigningSecret } from '../../../shared/events/signing.js';

/**
 * Builds the headers that Standard Webhooks defines, signed with the current time
 * (docs/decisions.md §8).
 */
export function buildSignedHeaders(secret: string, id: string, body: string): Record<string, string> {
  const timestampSeconds = Math.floor(Date.now() / 1000);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': buildSignatureHeader({
      id,
      timestampSeconds,
      body,
      secrets: [parseSigningSecret(secret)],
    }),
  };
}
