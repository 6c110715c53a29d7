import type { Config } from '../../shared/platform/config.js';
import { DeliveryError, type MessageProvider } from '../../shared/resources/messages/provider.js';
import { createSmtpProvider } from './smtp.js';

/** The providers that this process can hand messages to, by the name in their rows. */
export type Providers = Readonly<Record<string, MessageProvider>>;

export function createProviders({ smtpUrl, mailFrom }: Config): Providers {
  return { smtp: smtpUrl && mailFrom ? createSmtpProvider(smtpUrl, mailFrom) : withoutServer };
}

/** For what was queued before SMTP_URL was taken away: better a failure that can be seen than a message that waits for ever. */
const withoutServer: MessageProvider = {
  async send() {
    throw new DeliveryError('No mail server is configured any more.', true);
  },
};
