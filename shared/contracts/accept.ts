/**
 * Whether an Accept header excludes an answer. The most specific range that covers the answer decides. Parameters other than q choose among forms of
 * it, and there is one.
 * @param ranges that cover the answer, the most specific first
 */
export function excludes(accept: string, ranges: readonly string[]): boolean {
  const qualities = new Map<string, number>();
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    const quality = q === undefined ? 1 : Number(q.slice(2));
    qualities.set(type, Math.max(quality, qualities.get(type) ?? 0));
  }
  const deciding = ranges.find((range) => qualities.has(range));
  return deciding === undefined || qualities.get(deciding) === 0;
}
