import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { InboundRequest } from '../contract/vendor.js';

/**
 * Verifies the header X-Twilio-Signature. It is the HMAC-SHA1 of the address that Twilio called,
 * followed by the name and value of each form field, sorted by name. A JSON body is covered by its
 * hash in the address instead.
 */
export function verifyTwilioSignature({ body, headers, url }: InboundRequest, authToken: string): boolean {
  const given = Buffer.from(String(headers['x-twilio-signature'] ?? ''), 'base64');
  const bodyHash = new URL(url).searchParams.get('bodySHA256');
  if (bodyHash !== null && createHash('sha256').update(body).digest('hex') !== bodyHash) return false;
  const fields = bodyHash === null ? joinFields(body.toString('utf8')) : '';
  // Twilio signs the address with its port or without it.
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
