import { isIP } from 'node:net';
import type { Config } from '../../shared/config/config.js';

/** The site to which passkeys belong (W3C WebAuthn, Relying Party). */
export interface RelyingParty {
  /** The id of the relying party in WebAuthn: a host name. */
  id: string;
  /** The origins of the pages that may use the passkeys. */
  origins: string[];
}

/**
 * Returns the host of BASE_URL or, without this setting, of the request. Returns undefined if the
 * host is an IP address, because passkeys need a host name. A forged Host header gains an attacker
 * nothing: browsers sign only for the host that they have opened.
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
