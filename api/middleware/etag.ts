import type { ApiContext } from '../runtime/context.js';

/** Matches only the member, because quotes inside a client's text are escaped. */
const UPDATED_AT = /"updated_at":"([^"]+)"/;

/** Searches the JSON instead of parsing it. `updated_at` differs between any two versions. */
export function setETag(ctx: ApiContext, body: string): void {
  const version = UPDATED_AT.exec(body)?.[1];
  if (version) ctx.set('ETag', `"${version}"`);
}
