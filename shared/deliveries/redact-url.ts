/**
 * Receivers put keys into user name, password, query and fragment of a URL. More people read events
 * and logs than may see the keys.
 */
export function redactUrl(url: string): string {
  if (!URL.canParse(url)) return '[not a URL]';
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
