import { createTransport, type Transporter } from 'nodemailer';

/**
 * If the server sends nothing for this long, the client gives up. SMTP_URL may set other values
 * (`?socketTimeout=`). RFC 5321, section 4.5.3.2, recommends a longer timeout for the reply to the
 * data: ten minutes. A mail that the server accepts after the timeout is sent again and arrives
 * twice, with the same Message-ID.
 */
const TIMEOUTS = { connectionTimeout: 15_000, greetingTimeout: 15_000, socketTimeout: 60_000 };

/**
 * Creates a client that opens a new connection for each mail. A connection pool would repeat failed
 * attempts by itself, but the service must count each attempt.
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
 * True if a password goes to another host over `smtp:`, where encryption is optional. Without
 * `requireTLS`, an attacker on the network could hide the STARTTLS offer and read the password.
 */
function isPasswordSentToRemoteHost(url: string): boolean {
  const { password, hostname, protocol } = new URL(url);
  return protocol === 'smtp:' && password !== '' && !/^(localhost|127\.|\[::1\])/.test(hostname);
}
