import type { Config } from '../../shared/config/config.js';
import type { OutgoingMessage } from '../../shared/integrations/contract/messaging.js';
import { newId } from '../../shared/platform/ids.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
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
import {
  getRetryWait,
  MESSAGE_LEASE_SECONDS,
  type OfferResult,
  offerToProvider,
  retryUntilStored,
} from './offer-to-provider.js';
import type { Providers } from './providers.js';

const SENDER_NAME = 'Tow Dispatch';

/**
 * Creates a function that leases an account's next mail about access. The function returns another
 * function, which sends the mail, or turns a reset request into mails.
 */
export function createAccessMailLeaser(runtime: Runtime, providers: Providers): LeaseNextMail {
  const { db, config, logger } = runtime;
  const linkKey = deriveAccessLinkKey(config);
  const expandResetRequest = createResetRequestExpander(runtime, linkKey);
  return async (tenantId) => {
    const leaseRequestedAt = performance.now();
    const terms = { leaseSeconds: MESSAGE_LEASE_SECONDS, mailsPerDay: config.mailsPerDay };
    const mail = await leaseNextAccessMail(db, tenantId, terms);
    if (!mail) return undefined;
    return async () => {
      const logFields = { messageId: mail.id, tenant: mail.tenant_id, kind: mail.kind };
      if (mail.deferral)
        return logger.info({ ...logFields, ...mail.deferral }, 'mail postponed to the next day');
      if (mail.kind === 'reset_request') return expandResetRequest(mail);
      const message = buildMessage(mail, { config, linkKey });
      if (!config.smtpUrl && !config.production) {
        // Without a mail server the developer needs the link. Production never logs it.
        logger.info(
          { ...logFields, recipient: mail.recipient, text: message.text },
          'mail without a mail server',
        );
        return recordAccessMailSent(db, mail);
      }
      const result = await offer(runtime, providers, { mail, message, leaseRequestedAt });
      if (result.outcome === 'accepted')
        await retryUntilStored(leaseRequestedAt, () => recordAccessMailSent(db, mail));
      else
        await recordAccessMailFailure(db, mail, {
          reason: result.reason,
          wait: getRetryWait(result, mail.attempts),
        });
      logger.info({ ...logFields, attempt: mail.attempts, ...result }, 'mail about access');
    };
  };
}

function offer(
  { logger }: Runtime,
  providers: Providers,
  {
    mail: { id, attempts },
    message,
    leaseRequestedAt,
  }: { mail: LeasedAccessMail; message: OutgoingMessage; leaseRequestedAt: number },
): Promise<OfferResult> {
  const prepare = () => message;
  return offerToProvider(
    { id, provider: 'smtp', attempts, leaseRequestedAt, prepare },
    { providers, logger },
  );
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
    sender: SENDER_NAME,
    recipient,
    subject,
    // A function, because a replacement text gives some characters a meaning.
    text: body_text.replace(LINK_PLACE_LINE, () => link),
    html: null,
    attachment: undefined,
  };
}

/** Creates the function that turns a request for a new password into mails. */
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
