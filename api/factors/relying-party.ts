import { isIP } from 'node:net';
import type { Config } from '../../shared/config/config.js';

/** The site to which passkeys belong (W3C WebAuthn, Relying Party). */
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
  { baseUrl }: Pick<Config, 'baseUrl'>,
  host: string,
): RelyingParty | undefined {
  const origins = baseUrl
    ? [new URL(baseUrl).origin]
    : ['https', 'http'].map((scheme) => `${scheme}://${host.toLowerCase()}`);
  const [origin = ''] = origins;
  if (!URL.canParse(origin)) return undefined;
  const { hostname: id } = new URL(origin);
  return isIP(id.replace(/^\[|\]$/g, '')) ? undefined : { id, origins };
}
