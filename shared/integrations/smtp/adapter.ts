import type { MessageSender } from '../contract/messaging.js';
import type { OperatorVendor } from '../contract/vendor.js';
import { createSmtpClient } from './client.js';
import { manifest } from './manifest.js';
import { type SmtpError, toMail, toVendorError } from './mapper.js';

export const smtp: OperatorVendor = {
  manifest,
  openSender: ({ smtpUrl, mailFrom }) =>
    smtpUrl && mailFrom ? createSmtpSender(smtpUrl, mailFrom) : undefined,
};

function createSmtpSender(url: string, from: string): MessageSender {
  const client = createSmtpClient(url);
  return {
    async send(message) {
      await client.sendMail(toMail(message, from)).catch((error: unknown) => {
        throw toVendorError(error as SmtpError);
      });
    },
  };
}
