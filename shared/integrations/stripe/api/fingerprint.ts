import { createHash } from 'node:crypto';

/** Stripe's objects have no version, so the part of their content that is read stands for it. */
export function fingerprint(fields: object): string {
  return createHash('sha256').update(JSON.stringify(fields)).digest('base64url').slice(0, 22);
}
