/**
 * Removes user name, password, query and fragment from a URL. Receivers put keys into these parts,
 * and not everyone who reads events and logs may see the keys.
 */
export function redactUrl(url: string): string {
  if (!URL.canParse(url)) return '[not a URL]';
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
