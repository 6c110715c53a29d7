/** A URL as whoever reads events and the log may see it: receivers put keys into user names, queries and fragments. */
export function bareUrl(url: string): string {
  if (!URL.canParse(url)) return '[not a URL]';
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
