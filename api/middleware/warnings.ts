import type { ApiContext } from '../runtime/context.js';

/** Limits of the header. With the longest names it has 1.4 kB. */
const MAX_NAMES = 20;
const MAX_NAME_CHARACTERS = 64;

const SAFE_CHARACTER = /^[A-Za-z0-9_.[\]-]$/;

/**
 * Lists unknown query parameters and body members of the request in X-Service-Warnings. The header
 * is set immediately, so that error responses carry it too.
 */
export function reportUnknownNames(ctx: ApiContext, names: string[]): void {
  if (names.length === 0) return;
  ctx.state.unknownNames = [...(ctx.state.unknownNames ?? []), ...names];
  ctx.set('X-Service-Warnings', formatWarningsHeader(ctx.state.unknownNames));
}

/** Makes the names safe for a header: a client may send any text as a name. */
export function formatWarningsHeader(names: readonly string[]): string {
  const rest = names.length - MAX_NAMES;
  return [...names.slice(0, MAX_NAMES).map(encodeName), ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
}

function encodeName(name: string): string {
  let safe = '';
  for (const character of name) {
    const encoded = SAFE_CHARACTER.test(character) ? character : encodeCharacter(character);
    if (safe.length + encoded.length > MAX_NAME_CHARACTERS) break;
    safe += encoded;
  }
  return safe;
}

/** An unpaired surrogate has no UTF-8 encoding. */
const encodeCharacter = (character: string) =>
  encodeURIComponent(/\p{Surrogate}/u.test(character) ? '\uFFFD' : character);
