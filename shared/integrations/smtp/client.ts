import { createTransport, type Transporter } from 'nodemailer';

/**
 * If the server sends nothing for this long, the client treats it as hung. SMTP_URL may set other
 * values (`?socketTimeout=`). RFC 5321, section 4.5.3.2, recommends ten minutes for the reply to
 * the data: a mail that the server accepts after our timeout arrives twice, with the same
 * Message-ID.
 */
const TIMEOUTS = { connectionTimeout: 15_000, greetingTimeout: 15_000, socketTimeout: 60_000 };

/** Each mail gets a new connection: a pool would repeat attempts that must be counted. */
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
 * A password that leaves this machine requires TLS. Otherwise the server, or an attacker on the
 * network, could omit STARTTLS and read the password.
 */
function isPasswordSentToRemoteHost(url: string): boolean {
  const { password, hostname, protocol } = new URL(url);
  return protocol === 'smtp:' && password !== '' && !/^(localhost|127\.|\[::1\])/.test(hostname);
}
