import type { ApiContext } from '../context.js';

/** Unescaped quotes on both sides: no text of a client can look like this member. */
const UPDATED_AT = /"updated_at":"([^"]+)"/;

/** Gives an answer the ETag of its record: its `updated_at`, which no two versions share. The text is PostgreSQL's and is not parsed for it. */
export function setVersion(ctx: ApiContext, body: string): void {
  const version = UPDATED_AT.exec(body)?.[1];
  if (version) ctx.set('ETag', `"${version}"`);
}
