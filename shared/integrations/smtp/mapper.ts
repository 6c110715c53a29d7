import type { SendMailOptions } from 'nodemailer';
import type { OutgoingMessage } from '../contract/messaging.js';
import { VendorError } from '../contract/vendor-error.js';

/**
 * The SMTP commands that concern the message. An error in reply to any other command concerns the
 * connection or our credentials, which the operator can fix.
 */
const MESSAGE_COMMANDS = /^(MAIL|RCPT|DATA)/;
/**
 * The replies to MAIL that refuse our credentials, or say that our sending quota is used up (RFC
 * 4954, RFC 3463). If these replies counted as errors of the message, a mistake in SMTP_URL would
 * permanently fail every due message.
 */
const SENDER_REFUSAL = /^(530|534|535|538)\b|^5\d\d[ -](5\.7\.0|5\.7\.8|5\.4\.5)\b/;
const MAX_REASON_CHARS = 500;

export interface SmtpError extends Error {
  code?: string;
  command?: string;
  response?: string;
  responseCode?: number;
}

/** @param from the sender address; its domain is also the domain of the Message-ID */
export function toMail(
  { id, sender, recipient, subject, text, html, attachment, picture }: OutgoingMessage,
  from: string,
): SendMailOptions {
  return {
    messageId: `<${id}@${from.split('@').at(-1)}>`,
    from: { name: sender, address: from },
    // An object, because nodemailer parses a string as a list of addresses.
    to: { name: '', address: recipient },
    subject: subject ?? '',
    text,
    ...(html === null ? {} : { html }),
    attachments: [
      ...(attachment ? [{ ...attachment, contentType: 'application/pdf' }] : []),
      ...(picture ? [buildInlinePicture(picture)] : []),
    ],
  };
}

function buildInlinePicture({ contentId, contentType, content }: NonNullable<OutgoingMessage['picture']>) {
  return {
    cid: contentId,
    contentType,
    content,
    contentDisposition: 'inline' as const,
    filename: false as const,
  };
}

export function toVendorError(error: SmtpError): VendorError {
  const { responseCode, response, command = '', code } = error;
  if (responseCode && response) {
    const isAboutSender = command.startsWith('MAIL') && SENDER_REFUSAL.test(response);
    const isAboutMessage = MESSAGE_COMMANDS.test(command) && !isAboutSender;
    const problem = isAboutMessage ? 'refused the message' : 'does not accept mail from us';
    const reason = `The mail server ${problem}: ${response.replace(/\s+/g, ' ')}`.slice(0, MAX_REASON_CHARS);
    const kind = isAboutMessage && responseCode >= 500 ? 'refused' : 'again';
    return new VendorError(reason, { kind, cause: error });
  }
  const isAddress = code === 'EENVELOPE';
  const reason = isAddress
    ? 'Mail cannot be sent to this address.'
    : `The mail server could not be reached, or did not respond${code ? ` (${code})` : ''}.`;
  return new VendorError(reason, { kind: isAddress ? 'refused' : 'again', cause: error });
}
