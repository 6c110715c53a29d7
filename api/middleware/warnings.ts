import type { AnyContext } from '../context.js';

/** Bounds of the header: with the longest names it has 1.4 kB. */
const MOST_NAMES = 20;
const MOST_CHARACTERS = 64;

const SAFE = /^[A-Za-z0-9_.[\]-]$/;

/**
 * Names query parameters and body members that the request sent and the route does not know, in
 * X-Service-Warnings. It is set at once, so that an error answer carries it too.
 */
export function noteIgnored(ctx: AnyContext, names: string[]): void {
  if (names.length === 0) return;
  ctx.state.ignored = [...(ctx.state.ignored ?? []), ...names];
  ctx.set('X-Service-Warnings', warningsHeader(ctx.state.ignored));
}

/** The names as a header may hold them: a name is whatever the client wrote. */
export function warningsHeader(names: readonly string[]): string {
  const rest = names.length - MOST_NAMES;
  return [...names.slice(0, MOST_NAMES).map(safeName), ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
}

function safeName(name: string): string {
  let safe = '';
  for (const character of name) {
    const encoded = SAFE.test(character) ? character : encodeCharacter(character);
    if (safe.length + encoded.length > MOST_CHARACTERS) break;
    safe += encoded;
  }
  return safe;
}

/** A half of a surrogate pair has no UTF-8. */
const encodeCharacter = (character: string) =>
  encodeURIComponent(/\p{Surrogate}/u.test(character) ? '\uFFFD' : character);
