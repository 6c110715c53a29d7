import { isIP } from 'node:net';
import type { Config } from '../shared/platform/config.js';
import { AppError } from '../shared/platform/errors.js';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Refuses what a page of another site has a browser send (MCP, Streamable HTTP, Security Warning): a name in Host that is none of ours is one that was rebound to
 * this address, and an Origin that is not ours is another site. Programs send no Origin.
 * @throws {AppError} 403
 */
export function assertOwnSite(
  { publicUrl, mcpHosts }: Pick<Config, 'publicUrl' | 'mcpHosts'>,
  { host = '', origin }: { host?: string | undefined; origin?: string | undefined },
): void {
  const name = hostnameOf(`http://${host}`);
  const ours = [new URL(publicUrl).hostname, ...mcpHosts];
  const isKnown =
    name !== undefined &&
    (LOOPBACK.has(name) || isIP(name.replace(/^\[|\]$/g, '')) > 0 || ours.includes(name));
  if (!isKnown)
    throw new AppError(
      'forbidden',
      'This server does not answer under that Host. MCP_HOSTS names further ones.',
    );
  if (origin === undefined) return;
  const from = hostnameOf(origin);
  // A page on the same machine talks to a server on the same machine.
  if (
    from === undefined ||
    !(ours.includes(from) || from === name || (LOOPBACK.has(from) && LOOPBACK.has(name)))
  )
    throw new AppError('forbidden', 'This request comes from a page of another site.');
}

function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname.toLowerCase() : undefined;
}
