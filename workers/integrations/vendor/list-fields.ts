import { toStorableText } from '../../../shared/platform/storable-text.js';

const MAX_FIELDS = 50;
const MAX_FIELD_CHARS = 60;

/**
 * Returns the names of the top-level fields of a body. Returns no names if the body is neither JSON
 * nor a form.
 */
export function listFields(body: string): string[] {
  const names = body.startsWith('{')
    ? listJsonFields(body)
    : /^[\w.[\]%-]+=/.test(body)
      ? [...new URLSearchParams(body).keys()]
      : [];
  return [...new Set(names.map((name) => toStorableText(name.slice(0, MAX_FIELD_CHARS))))].slice(
    0,
    MAX_FIELDS,
  );
}

function listJsonFields(body: string): string[] {
  try {
    return Object.keys(JSON.parse(body) as object);
  } catch {
    return [];
  }
}
