import type { ApiContext } from '../runtime/context.js';

/** Matches no text of a client, because the quotes inside such a text are escaped. */
const UPDATED_AT = /"updated_at":"([^"]+)"/;

/** Searches the JSON text for `updated_at`, which differs between any two versions. */
export function setETag(ctx: ApiContext, body: string): void {
  const version = UPDATED_AT.exec(body)?.[1];
  if (version) ctx.set('ETag', `"${version}"`);
}
