import type { OpenConnection } from '../../contract/connection.js';
import type { VendorAccount } from '../../contract/vendor.js';
import { VendorError } from '../../contract/vendor-error.js';
import { buildHeaders, callFor, readAnswer } from './client.js';

/** An organisation that the token reaches. */
interface Reached {
  id: string;
  tenantId: string;
  authEventId?: string;
  tenantType?: string;
  tenantName?: string;
  createdDateUtc?: string;
  updatedDateUtc?: string;
}

/**
 * Finds the organisation of the connection. A known one stays. At first, it is the one that the
 * person has just allowed, because a token also reaches those of earlier sign-ins.
 */
export async function describe(connection: OpenConnection): Promise<VendorAccount> {
  const reached = await listOrganisations(connection);
  const known = reached.find(({ tenantId }) => tenantId === connection.externalAccount);
  const { tenantId, tenantName } = known ?? findAllowed(reached, readAuthEvent(connection.accessToken));
  const { Organisations = [] } = await callFor<{ Organisations?: { IsDemoCompany?: boolean }[] }>(
    connection,
    tenantId,
    { method: 'GET', path: '/Organisation' },
  );
  const environment = Organisations[0]?.IsDemoCompany === true ? 'sandbox' : 'live';
  return { externalAccount: tenantId, label: tenantName ?? null, environment };
}

/** Ends the access to the organisation. Other organisations of the same token keep theirs. */
export async function endAccess(connection: OpenConnection): Promise<void> {
  const reached = await listOrganisations(connection);
  const found = reached.find(({ tenantId }) => tenantId === connection.externalAccount);
  if (!found) return;
  const { status } = await connection.call({
    method: 'DELETE',
    path: `/connections/${encodeURIComponent(found.id)}`,
    headers: buildHeaders(connection),
    isRepeatable: true,
  });
  if (status >= 400 && status !== 404)
    throw new VendorError(`Xero answered ${status} to the disconnection.`, { kind: 'refused' });
}

async function listOrganisations(connection: OpenConnection): Promise<Reached[]> {
  const response = await connection.call({
    method: 'GET',
    path: '/connections',
    headers: buildHeaders(connection),
    isRepeatable: true,
  });
  const all = readAnswer<Reached[]>(response, true);
  return all.filter(({ tenantType = 'ORGANISATION' }) => tenantType === 'ORGANISATION');
}

/**
 * Chooses the organisation of a sign-in. If the sign-in named several, or none that is known by
 * its event, it is the one that was allowed last.
 */
function findAllowed(reached: readonly Reached[], authEvent: string | undefined): Reached {
  const ofEvent = reached.filter(({ authEventId }) => authEventId !== undefined && authEventId === authEvent);
  const allowedAt = ({ updatedDateUtc, createdDateUtc }: Reached) => updatedDateUtc ?? createdDateUtc ?? '';
  const [newest] = (ofEvent.length > 0 ? ofEvent : [...reached]).sort((a, b) =>
    allowedAt(a) < allowedAt(b) ? 1 : -1,
  );
  if (newest) return newest;
  throw new VendorError('The sign-in named no organisation. Connect again.', {
    kind: 'auth',
    code: 'no_organisation',
  });
}

/** Reads the id of the sign-in out of an access token, which is a JSON Web Token (RFC 7519). */
function readAuthEvent(accessToken: string | undefined): string | undefined {
  const [, payload = ''] = (accessToken ?? '').split('.');
  try {
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Record<string, unknown>;
    return typeof claims.authentication_event_id === 'string' ? claims.authentication_event_id : undefined;
  } catch {
    return undefined;
  }
}
