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
