import { AppError } from '../../shared/platform/errors.js';
import type { ApiContext } from '../runtime/context.js';

/**
 * Finds the member `updated_at` in a record's JSON text. The pattern cannot match inside a client's
 * text, because JSON escapes the quotes there.
 */
const UPDATED_AT = /"updated_at":"([^"]+)"/;

/**
 * Sets the ETag to the record's `updated_at`, which changes with every version. Sets no ETag if
 * `body` has no `updated_at`.
 */
export function setETag(ctx: ApiContext, body: string): void {
  const version = UPDATED_AT.exec(body)?.[1];
  if (version) ctx.set('ETag', `"${version}"`);
}

/**
 * Returns the versions in If-Match (RFC 9110 §13.1.1), or null if the request accepts any version.
 */
export function readIfMatch(ctx: ApiContext): string[] | null {
  const header = ctx.get('If-Match').trim();
  if (header === '' || header === '*') return null;
  const versions = [...header.matchAll(/"([^"]*)"/g)].map(([, version]) => version as string);
  if (versions.length > 0) return versions;
  const message = 'If-Match must be an ETag in double quotes, as an earlier response returned it, or *';
  throw new AppError('validation_error', `${message}.`, {
    details: [{ field: 'If-Match', code: 'invalid', message }],
  });
}
