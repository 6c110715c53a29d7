/**
 * Returns the curl command of a request, with `$TOW_API_KEY` in place of a key.
 * @param path path below /v1, such as `/invoices`
 */
export function buildCurl(
  path: string,
  { method = 'GET', query = {}, body }: { method?: string; query?: object; body?: unknown } = {},
): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString();
  const url = `${window.location.origin}/v1${path}${search === '' ? '' : `?${search}`}`;
  const parts = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quote(url)}`,
    '-H "Authorization: Bearer $TOW_API_KEY"',
  ];
  if (body !== undefined)
    parts.push(`-H 'Content-Type: application/json'`, `-d ${quote(JSON.stringify(body))}`);
  return parts.join(' \\\n  ');
}

/** Quotes a text for a POSIX shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
