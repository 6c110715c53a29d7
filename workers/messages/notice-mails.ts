import type { OutgoingMessage } from '../../shared/integrations/contract/messaging.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import { PRODUCT_NAME } from '../../shared/platform/product-name.js';
import {
  type LeasedNoticeMail,
  leaseNextNoticeMail,
  recordNoticeMailFailure,
  recordNoticeMailSent,
} from '../../shared/resources/notices/outbox.js';
import type { LeaseNextMail } from './fair-mail-queue.js';
import { createPeopleMailLeaser } from './people-mails.js';
import type { Providers } from './providers.js';

/** Creates a function that leases an account's notice mail with the earliest due time. */
export function createNoticeMailLeaser(runtime: Runtime, providers: Providers): LeaseNextMail {
  return createPeopleMailLeaser(runtime, providers, {
    name: 'notice mail',
    lease: leaseNextNoticeMail,
    build: (mail) => buildOutgoingMail(mail, runtime.config.publicUrl),
    recordSent: recordNoticeMailSent,
    recordFailure: recordNoticeMailFailure,
  });
}

function buildOutgoingMail(
  { id, title, text, account, recipient }: LeasedNoticeMail,
  publicUrl: string,
): OutgoingMessage | { refusal: string } {
  if (recipient === null) return { refusal: 'The person has left the account.' };
  const footer = [
    `API reference: ${publicUrl}/docs`,
    `You receive this mail because you can sign in to ${account}. GET /v1/notices lists all notices.`,
  ];
  return {
    id,
    sender: PRODUCT_NAME,
    recipient,
    subject: title,
    text: [text, '-- ', ...footer].join('\n\n'),
    html: null,
    attachment: undefined,
  };
}
