import { createTransport } from 'nodemailer';
import {
  DeliveryError,
  type MessageProvider,
  type OutgoingMessage,
} from '../../shared/resources/messages/provider.js';

/**
 * A server that sends nothing for this long counts as hung, in ms. SMTP_URL may set other values
 * (`?socketTimeout=`). RFC 5321, section 4.5.3.2, recommends ten minutes for the reply to the data.
 * A mail that the server accepts after our timeout arrives twice, with the same Message-ID.
 */
const TIMEOUTS = { connectionTimeout: 15_000, greetingTimeout: 15_000, socketTimeout: 60_000 };

/**
 * Errors in reply to these commands concern the message. Errors in reply to other commands concern
 * the connection or our credentials, and can be fixed.
 */
const MESSAGE_COMMANDS = /^(MAIL|RCPT|DATA)/;
/**
 * Replies to MAIL that concern our credentials or our sending quota (RFC 4954, RFC 3463). If they
 * counted as errors of the message, a mistake in SMTP_URL would permanently fail every due message.
 */
const SENDER_REFUSAL = /^(530|534|535|538)\b|^5\d\d[ -](5\.7\.0|5\.7\.8|5\.4\.5)\b/;
const MAX_REASON_CHARS = 500;

/** An error that nodemailer throws. */
interface SmtpError extends Error {
  code?: string;
  command?: string;
  response?: string;
  responseCode?: number;
}

/**
 * Creates a provider that sends mails to an SMTP server, each over a new connection. A pool would
 * repeat attempts by itself, but this service must count every attempt.
 * @param from sender address; its domain is also used in the Message-ID
 */
export function createSmtpProvider(url: string, from: string): MessageProvider {
  const transport = createTransport({
    url,
    ...TIMEOUTS,
    requireTLS: isPasswordSentToRemoteHost(url),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = from.split('@').at(-1);
  return {
    async send({ id, sender, recipient, subject, text, html, attachment, picture }: OutgoingMessage) {
      await transport
        .sendMail({
          messageId: `<${id}@${domain}>`,
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
        })
        .catch((error: unknown) => {
          throw toDeliveryError(error as SmtpError);
        });
    },
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

/**
 * Returns whether the password goes to another machine, which requires TLS. Otherwise the server or
 * an attacker on the network could omit STARTTLS, and read the password.
 */
function isPasswordSentToRemoteHost(url: string): boolean {
  const { password, hostname, protocol } = new URL(url);
  return protocol === 'smtp:' && password !== '' && !/^(localhost|127\.|\[::1\])/.test(hostname);
}

function toDeliveryError(error: SmtpError): DeliveryError {
  const { responseCode, response, command = '', code } = error;
  if (responseCode && response) {
    const isAboutSender = command.startsWith('MAIL') && SENDER_REFUSAL.test(response);
    const isAboutMessage = MESSAGE_COMMANDS.test(command) && !isAboutSender;
    const problem = isAboutMessage ? 'refused the message' : 'does not accept mail from us';
    const reason = `The mail server ${problem}: ${response.replace(/\s+/g, ' ')}`.slice(0, MAX_REASON_CHARS);
    return new DeliveryError(reason, isAboutMessage && responseCode >= 500, error);
  }
  const isAddress = code === 'EENVELOPE';
  const reason = isAddress
    ? 'Mail cannot be sent to this address.'
    : `The mail server could not be reached, or did not respond${code ? ` (${code})` : ''}.`;
  return new DeliveryError(reason, isAddress, error);
}
