import type { ApiContext } from '../runtime/context.js';

/** MAX_NAMES and MAX_NAME_CHARACTERS limit the header X-Service-Warnings to 1.4 kB. */
const MAX_NAMES = 20;
const MAX_NAME_CHARACTERS = 64;

const SAFE_CHARACTER = /^[A-Za-z0-9_.[\]-]$/;

/**
 * Lists unknown query parameters and body members in X-Service-Warnings. Sets the header
 * immediately, so that an error response has it too.
 */
export function reportUnknownNames(ctx: ApiContext, names: string[]): void {
  if (names.length === 0) return;
  ctx.state.unknownNames = [...(ctx.state.unknownNames ?? []), ...names];
  ctx.set('X-Service-Warnings', formatWarningsHeader(ctx.state.unknownNames));
}

/**
 * Joins the names into the header's value. Encodes each name, because a client may send any text as
 * a name.
 */
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

/**
 * Percent-encodes a character. Replaces an unpaired surrogate, because it has no UTF-8 encoding.
 */
const encodeCharacter = (character: string) =>
  encodeURIComponent(/\p{Surrogate}/u.test(character) ? '\uFFFD' : character);
