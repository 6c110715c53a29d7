import { createHash } from 'node:crypto';

/**
 * Returns a hash of the content that the service reads. The hash serves as the record's version.
 * Some vendors have no versions, or change a version while this content stays the same.
 */
export function fingerprint(fields: object): string {
  return createHash('sha256').update(JSON.stringify(fields)).digest('base64url').slice(0, 22);
}
