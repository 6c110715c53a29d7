import { createTransport, type Transporter } from 'nodemailer';

/**
 * A server that sends nothing for this long counts as hung, in ms. SMTP_URL may set other values
 * (`?socketTimeout=`). RFC 5321, section 4.5.3.2, recommends ten minutes for the reply to the data.
 * A mail that the server accepts after our timeout arrives twice, with the same Message-ID.
 */
const TIMEOUTS = { connectionTimeout: 15_000, greetingTimeout: 15_000, socketTimeout: 60_000 };

/**
 * Opens the mail server, each mail over a new connection. A pool would repeat attempts by itself,
 * but this service must count every attempt.
 */
export function createSmtpClient(url: string): Transporter {
  return createTransport({
    url,
    ...TIMEOUTS,
    requireTLS: isPasswordSentToRemoteHost(url),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/**
 * Returns whether the password goes to another machine, which requires TLS. Otherwise the server or
 * an attacker on the network could omit STARTTLS, and read the password.
 */
function isPasswordSentToRemoteHost(url: string): boolean {
  const { password, hostname, protocol } = new URL(url);
  return protocol === 'smtp:' && password !== '' && !/^(localhost|127\.|\[::1\])/.test(hostname);
}
