import { isIP } from 'node:net';

import type { Config } from '../../shared/config/config.js';
import { AppError } from '../../shared/platform/errors.js';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Refuses requests that a browser sends for a page of another site (MCP, Streamable HTTP, Security
 * Warning). An unknown name in Host indicates DNS rebinding. An unknown Origin is another site.
 * Clients other than browsers send no Origin.
 * @throws {AppError} 403
 */
export function assertAllowedHostAndOrigin(
  { publicUrl, mcpHosts }: Pick<Config, 'publicUrl' | 'mcpHosts'>,
  { host = '', origin }: { host?: string | undefined; origin?: string | undefined },
): void {
  const hostName = parseHostname(`http://${host}`);
  const allowedNames = [new URL(publicUrl).hostname, ...mcpHosts];
  const isAllowed =
    hostName !== undefined &&
    (LOOPBACK.has(hostName) || isIP(hostName.replace(/^\[|\]$/g, '')) > 0 || allowedNames.includes(hostName));
  if (!isAllowed)
    throw new AppError(
      'forbidden',
      'This server does not accept requests for this Host. The operator can add it to MCP_HOSTS.',
    );
  if (origin === undefined) return;
  const originName = parseHostname(origin);
  // A page on this machine may call a server on this machine.
  if (
    originName === undefined ||
    !(
      allowedNames.includes(originName) ||
      originName === hostName ||
      (LOOPBACK.has(originName) && LOOPBACK.has(hostName))
    )
  )
    throw new AppError('forbidden', 'This request comes from a page of another site.');
}

function parseHostname(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname.toLowerCase() : undefined;
}
