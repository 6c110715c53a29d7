import type { Config } from '../../shared/config/config.js';
import { DeliveryError, type MessageProvider } from '../../shared/resources/messages/provider.js';
import { createSmtpProvider } from './smtp.js';

/** The providers that this process can send messages with, by the name in the message rows. */
export type Providers = Readonly<Record<string, MessageProvider>>;

export function createProviders({ smtpUrl, mailFrom }: Config): Providers {
  return { smtp: smtpUrl && mailFrom ? createSmtpProvider(smtpUrl, mailFrom) : noMailServer };
}

/**
 * For messages that were queued before SMTP_URL was removed. A visible failure is better than a
 * message that waits forever.
 */
const noMailServer: MessageProvider = {
  async send() {
    throw new DeliveryError('No mail server is configured any more.', true);
  },
};
