import { isIP } from 'node:net';
import type { Config } from '../../shared/config/config.js';
import type { ApiContext } from '../runtime/context.js';

/** The site to which passkeys belong (WebAuthn Level 3, §4). */
export interface RelyingParty {
  /** A host name. */
  id: string;
  /** The origins of the pages that may use the passkeys. */
  origins: string[];
}

/**
 * Returns the host of BASE_URL or, without this setting, of the request. Returns undefined if the
 * host is an IP address, for which browsers have no passkeys. A client that sends another Host
 * gains nothing: a browser signs only for the host that it has opened.
 */
export function findRelyingParty(
  { config: { baseUrl } }: { config: Pick<Config, 'baseUrl'> },
  ctx: ApiContext,
): RelyingParty | undefined {
  const host = ctx.get('Host').toLowerCase();
  const origins = baseUrl ? [new URL(baseUrl).origin] : [`https://${host}`, `http://${host}`];
  const [origin = ''] = origins;
  if (!URL.canParse(origin)) return undefined;
  const { hostname: id } = new URL(origin);
  return isIP(id.replace(/^\[|\]$/g, '')) ? undefined : { id, origins };
}
