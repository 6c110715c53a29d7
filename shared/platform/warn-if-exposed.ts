import { isIP } from 'node:net';
import { isLoopback } from './outbound/addresses.js';
import { isLocalhost } from './outbound/target.js';
import type { Runtime } from './runtime.js';

/**
 * Outside production sessions travel without TLS and webhooks may call this machine: that is for
 * this machine alone.
 */
export function warnIfExposed({ config, logger }: Pick<Runtime, 'config' | 'logger'>): void {
  const { host, production } = config;
  if (production || (isIP(host) ? isLoopback(host) : isLocalhost(host))) return;
  logger.warn(
    `HOST=${host} lets other machines in, but NODE_ENV is not production: sessions travel without TLS, and webhooks may call this machine. ` +
      'Unset HOST, or set NODE_ENV=production.',
  );
}
