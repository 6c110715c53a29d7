import type { ApiContext } from '../runtime/context.js';

/** Matches only the member, because quotes inside a client's text are escaped. */
const UPDATED_AT = /"updated_at":"([^"]+)"/;

/**
 * Sets the ETag to the record's `updated_at`, which differs between any two versions. Searches the
 * JSON text from PostgreSQL instead of parsing it.
 */
export function setETag(ctx: ApiContext, body: string): void {
  const version = UPDATED_AT.exec(body)?.[1];
  if (version) ctx.set('ETag', `"${version}"`);
}
