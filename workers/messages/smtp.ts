import { createTransport } from 'nodemailer';
import {
  DeliveryError,
  type MessageProvider,
  type OutgoingMessage,
} from '../../shared/resources/messages/provider.js';

/**
 * A server that says nothing for this long has hung, in ms; SMTP_URL may set its own (`?socketTimeout=`). RFC 5321 (4.5.3.2) would wait ten minutes for the
 * answer to the data; what it accepts after we gave up comes twice, with the same Message-ID.
 */
const TIMEOUTS = { connectionTimeout: 15_000, greetingTimeout: 15_000, socketTimeout: 60_000 };

/** Answers to these commands are about the message; to others about the connection or our credentials, which may be mended. */
const ABOUT_THE_MESSAGE = /^(MAIL|RCPT|DATA)/;
/**
 * Answers to MAIL that mean our credentials or the quota of our sender (RFC 4954, RFC 3463): after a
 * slip in SMTP_URL they would otherwise fail every message that is due, for good.
 */
const ABOUT_OUR_ACCOUNT = /^(530|534|535|538)\b|^5\d\d[ -](5\.7\.0|5\.7\.8|5\.4\.5)\b/;
const MAX_REASON = 500;

/** What nodemailer throws. */
interface SmtpError extends Error {
  code?: string;
  command?: string;
  response?: string;
  responseCode?: number;
}

/**
 * Hands mails to a server, a connection for each: a pool would repeat by itself what must be counted here.
 * @param from sender address; its domain also makes the Message-ID
 */
export function createSmtpProvider(url: string, from: string): MessageProvider {
  const transport = createTransport({
    url,
    ...TIMEOUTS,
    requireTLS: sendsPasswordAway(url),
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
          // As an object: nodemailer would read a text as a list of addresses.
          to: { name: '', address: recipient },
          subject: subject ?? '',
          text,
          ...(html === null ? {} : { html }),
          attachments: [
            ...(attachment ? [{ ...attachment, contentType: 'application/pdf' }] : []),
            ...(picture ? [inlinePicture(picture)] : []),
          ],
        })
        .catch((error: unknown) => {
          throw deliveryError(error as SmtpError);
        });
    },
  };
}

function inlinePicture({ contentId, contentType, content }: NonNullable<OutgoingMessage['picture']>) {
  return {
    cid: contentId,
    contentType,
    content,
    contentDisposition: 'inline' as const,
    filename: false as const,
  };
}

/** A password goes to another machine under TLS or not at all, whatever a server, or somebody before it, offers. */
function sendsPasswordAway(url: string): boolean {
  const { password, hostname, protocol } = new URL(url);
  return protocol === 'smtp:' && password !== '' && !/^(localhost|127\.|\[::1\])/.test(hostname);
}

function deliveryError(error: SmtpError): DeliveryError {
  const { responseCode, response, command = '', code } = error;
  if (responseCode && response) {
    const isAboutAccount = command.startsWith('MAIL') && ABOUT_OUR_ACCOUNT.test(response);
    const isAboutMessage = ABOUT_THE_MESSAGE.test(command) && !isAboutAccount;
    const what = isAboutMessage ? 'refused the message' : 'does not let us in';
    const reason = `The mail server ${what}: ${response.replace(/\s+/g, ' ')}`.slice(0, MAX_REASON);
    return new DeliveryError(reason, isAboutMessage && responseCode >= 500, error);
  }
  const isAddress = code === 'EENVELOPE';
  const reason = isAddress
    ? 'The address is none that a mail can be sent to.'
    : `The mail server could not be reached, or did not answer${code ? ` (${code})` : ''}.`;
  return new DeliveryError(reason, isAddress, error);
}
