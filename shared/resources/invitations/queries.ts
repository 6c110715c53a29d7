import type { InvitationListQuery } from '../../contracts/generated.js';
import type { Role } from '../../contracts/roles.js';
import type { Database, SqlQuery } from '../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { IS_OPEN_SQL, IS_UNUSED_SQL } from '../access-mails/invitation-rows.js';
import { hashLinkToken } from '../access-mails/link-token.js';
import { invitationFields } from './fields.js';

const STATUS_SQL: Readonly<Record<NonNullable<InvitationListQuery['status']>, string>> = {
  open: IS_OPEN_SQL,
  accepted: 't.accepted_at is not null',
  revoked: 't.revoked_at is not null and t.accepted_at is null',
  expired: `${IS_UNUSED_SQL} and t.expires_at <= now()`,
};

export function listInvitations(query: InvitationListQuery, scope: ListScope): SqlQuery {
  const conditions = new Conditions().add('t.tenant_id = ?', scope.tenantId);
  if (query.status) conditions.add(STATUS_SQL[query.status]);
  return buildListQuery({
    table: 'invitations',
    representation: invitationFields.representation('t'),
    conditions,
    limit: query.limit,
    position: scope.position,
  });
}

export interface OpenInvitation {
  tenant_id: string;
  id: string;
  email: string;
  role: Role;
  expires_at: Date;
}

/**
 * Finds the invitation that a link opens. Returns undefined if the link is unknown, used or
 * expired.
 */
export async function findOpenInvitation(db: Database, token: string): Promise<OpenInvitation | undefined> {
  const hash = Buffer.from(hashLinkToken(token), 'hex');
  const [row] = await db.readByKeyHash<OpenInvitation>(hash, {
    name: 'find-open-invitation',
    text: `select t.tenant_id, t.id, t.email, t.role, t.expires_at from invitations t where t.token_hash = $1 and ${IS_OPEN_SQL}`,
    values: [hash],
  });
  return row;
}
