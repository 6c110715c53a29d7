import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { InboundRequest } from '../contract/vendor.js';

/**
 * Verifies the header X-Twilio-Signature. The header is the HMAC-SHA1 of the address that Twilio
 * called, followed by each form field's name and value, sorted by name. For a JSON body, the
 * address contains a hash of the body instead.
 */
export function verifyTwilioSignature({ body, headers, url }: InboundRequest, authToken: string): boolean {
  const given = Buffer.from(String(headers['x-twilio-signature'] ?? ''), 'base64');
  const bodyHash = new URL(url).searchParams.get('bodySHA256');
  if (bodyHash !== null && createHash('sha256').update(body).digest('hex') !== bodyHash) return false;
  const fields = bodyHash === null ? joinFields(body.toString('utf8')) : '';
  // Twilio may sign the address with or without its port, so try both forms.
  return listAddresses(url).some((address) => {
    const expected = createHmac('sha1', authToken)
      .update(address + fields)
      .digest();
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

function joinFields(form: string): string {
  const params = new URLSearchParams(form);
  const names = [...new Set(params.keys())].sort();
  return names
    .map((name) =>
      [...new Set(params.getAll(name))]
        .sort()
        .map((value) => name + value)
        .join(''),
    )
    .join('');
}

function listAddresses(url: string): string[] {
  const { protocol, host, hostname, port } = new URL(url);
  const rest = url.slice(`${protocol}//${host}`.length);
  const usualPort = protocol === 'https:' ? '443' : '80';
  return [url, `${protocol}//${hostname}${rest}`, `${protocol}//${hostname}:${port || usualPort}${rest}`];
}
