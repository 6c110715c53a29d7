import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';

/** A secret of 256 random bits. */
export function newSecret(): string {
  return PREFIX + randomBytes(32).toString('base64');
}

/** The headers that Standard Webhooks asks for, signed for this moment (decisions 8). */
export function signedHeaders(secret: string, id: string, body: string): Record<string, string> {
  const timestamp = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  };
}
