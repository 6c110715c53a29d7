/** Names of browsers and systems by their part of the User-Agent. The first match counts. */
const BROWSERS = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;

const SYSTEMS = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS', 'Mac'],
  ['Linux', 'Linux'],
] as const;

const find = (names: readonly (readonly [string, string])[], text: string) =>
  names.find(([part]) => text.includes(part))?.[1];

/** Returns a short name such as "Firefox on Linux" for a User-Agent. */
export function nameBrowser(userAgent: string | null): string {
  if (!userAgent) return 'Unknown browser';
  const [browser, system] = [find(BROWSERS, userAgent), find(SYSTEMS, userAgent)];
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? userAgent.slice(0, 40);
}
