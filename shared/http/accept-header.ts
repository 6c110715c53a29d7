/**
 * True if an Accept header excludes a response's media type. The most specific range that covers
 * the media type decides. Parameters other than `q` are ignored, because the service offers one
 * form of each media type.
 * @param ranges media ranges that cover the response, the most specific first
 */
export function excludesMediaType(accept: string, ranges: readonly string[]): boolean {
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
