import type { Transaction } from '../../platform/postgres/database.js';
import { PRODUCT_NAME } from '../../platform/product-name.js';
import { type CreateCommand, INVITATION_DAYS } from '../access-mails/invitation-rows.js';
import { insertAccessMails, LINK_PLACE, toOneLine } from '../access-mails/store.js';
import { findAccountNames } from '../tenants/find-tenant.js';

/** Stores the mails of new invitations. */
export async function insertInvitationMails(
  tx: Transaction,
  commands: readonly CreateCommand[],
): Promise<void> {
  const names = await findAccountNames(
    tx,
    commands.map(({ tenantId }) => tenantId),
  );
  const mails = commands.map(({ tenantId, entityId, actor, input }) => {
    const account = toOneLine(names.get(tenantId) ?? '');
    const opening =
      actor.type === 'user' && actor.name ? `${toOneLine(actor.name)} invites you` : 'You are invited';
    return {
      tenant_id: tenantId,
      kind: 'invitation' as const,
      recipient: input.email,
      subject: `Your invitation to ${account}`,
      body_text: [
        `${opening} to ${account} on ${PRODUCT_NAME}, as ${input.role}.`,
        `Choose your password here. The link works once, for ${INVITATION_DAYS} days:\n${LINK_PLACE}`,
        'If you do not know this company, ignore this mail.',
      ].join('\n\n'),
      link_id: entityId,
    };
  });
  await insertAccessMails(tx, mails);
}
