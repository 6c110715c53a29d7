import type { Config } from '../../shared/config/config.js';
import type { OutgoingMessage } from '../../shared/integrations/contract/messaging.js';
import { newId } from '../../shared/platform/ids.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import { PRODUCT_NAME } from '../../shared/platform/product-name.js';
import { ACCESS_MAILS_PROMPT } from '../../shared/queues/messages.js';
import { createPrompter } from '../../shared/queues/prompts.js';
import {
  buildAccessLink,
  computeLinkToken,
  deriveAccessLinkKey,
} from '../../shared/resources/access-mails/link-token.js';
import {
  type LeasedAccessMail,
  leaseNextAccessMail,
  recordAccessMailFailure,
  recordAccessMailSent,
} from '../../shared/resources/access-mails/outbox.js';
import { LINK_KINDS, LINK_PLACE_LINE } from '../../shared/resources/access-mails/store.js';
import { mailResets } from '../../shared/resources/password-resets/mail-resets.js';
import {
  deriveSignInAddressesKey,
  hashNetwork,
  isKnownAddress,
} from '../../shared/resources/sessions/known-addresses.js';
import { findResetCandidates } from '../../shared/resources/sessions/queries.js';
import type { LeaseNextMail } from './fair-mail-queue.js';
import { createPeopleMailLeaser } from './people-mails.js';
import type { Providers } from './providers.js';

/**
 * Creates a function that leases an account's next mail about access. That function returns a
 * second function, which sends the mail. For a password reset request, the second function creates
 * the mails to the people with the requested address.
 */
export function createAccessMailLeaser(runtime: Runtime, providers: Providers): LeaseNextMail {
  const { db, config, logger } = runtime;
  const linkKey = deriveAccessLinkKey(config);
  const expandResetRequest = createResetRequestExpander(runtime, linkKey);
  const build = (mail: LeasedAccessMail) => buildMessage(mail, { config, linkKey });
  return createPeopleMailLeaser(runtime, providers, {
    name: 'mail about access',
    lease: leaseNextAccessMail,
    build,
    async handleWithoutServer(mail) {
      if (mail.kind === 'reset_request') await expandResetRequest(mail);
      else if (config.smtpUrl || config.production) return false;
      else {
        // Without a mail server, log the link, because the developer needs it. Production never
        // logs a link.
        const { id: messageId, tenant_id: tenant, kind, recipient } = mail;
        const { text } = build(mail);
        logger.info({ messageId, tenant, kind, recipient, text }, 'mail without a mail server');
        await recordAccessMailSent(db, mail);
      }
      return true;
    },
    recordSent: recordAccessMailSent,
    recordFailure: recordAccessMailFailure,
  });
}

function buildMessage(
  { id, kind, recipient, subject, body_text, link_id }: LeasedAccessMail,
  { config, linkKey }: { config: Config; linkKey: Buffer },
): OutgoingMessage {
  const linkKind = LINK_KINDS[kind];
  const link =
    linkKind && link_id
      ? buildAccessLink(config, linkKind, computeLinkToken(linkKey, linkKind, link_id))
      : '';
  return {
    id,
    sender: PRODUCT_NAME,
    recipient,
    subject,
    // Use a function, because `replace` interprets some characters of a replacement text, such as
    // `$`.
    text: body_text.replace(LINK_PLACE_LINE, () => link),
    html: null,
    attachment: undefined,
  };
}

/** Creates the function that creates the mails for a password reset request. */
function createResetRequestExpander(
  runtime: Runtime,
  linkKey: Buffer,
): (request: LeasedAccessMail) => Promise<void> {
  const { db, config } = runtime;
  const addressKey = deriveSignInAddressesKey(config);
  const prompt = createPrompter(runtime);
  return async ({ id, recipient: email, network }) => {
    const people = (await findResetCandidates(db, email)).map((person) => {
      const mark = hashNetwork(addressKey, { userId: person.id, network: network ?? '' });
      return { ...person, is_known: isKnownAddress(person.sign_in_addresses, mark, Date.now()) };
    });
    const tenantIds = await mailResets(db, linkKey, { id, email, people });
    await prompt(
      ACCESS_MAILS_PROMPT,
      tenantIds.map((tenantId) => ({ tenantId, id: newId() })),
    );
  };
}
