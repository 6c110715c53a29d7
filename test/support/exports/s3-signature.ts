import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The only access key that {@link findSignatureError} accepts. */
export const S3_ACCOUNT = { id: 'AKIDEXPORTS', secret: 'secret-of-the-exports-account' };

const SKEW_MS = 15 * 60_000;
const sha256Hex = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest();
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

interface SignatureParts {
  credential: string;
  signedHeaders: string;
  signature: string;
  date: string;
  payload: string;
  /** The validity of a presigned link in seconds; undefined for other requests. */
  expires: number | undefined;
}

/**
 * Checks a request's signature (AWS Signature Version 4) and its body's digest. Returns S3's error
 * code, or undefined if the request is valid.
 */
export function findSignatureError(request: IncomingMessage, body: Buffer): string | undefined {
  const url = new URL(request.url ?? '', 'http://s3');
  const parts = parseSignature(request, url.searchParams);
  if (!parts) return 'AccessDenied';
  const [account, day = '', region = '', service = '', end] = parts.credential.split('/');
  if (account !== S3_ACCOUNT.id) return 'InvalidAccessKeyId';
  if (service !== 's3' || end !== 'aws4_request' || !parts.date.startsWith(day))
    return 'SignatureDoesNotMatch';
  const at = Date.parse(parts.date.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (parts.expires !== undefined && Date.now() > at + parts.expires * 1000) return 'AccessDenied';
  if (parts.expires === undefined && Math.abs(Date.now() - at) > SKEW_MS) return 'RequestTimeTooSkewed';
  const names = parts.signedHeaders.split(';');
  const unsigned = Object.keys(request.headers).filter(
    (name) => name.startsWith('x-amz-') && !names.includes(name),
  );
  if (!names.includes('host') || unsigned.length > 0) return 'AccessDenied';
  if (/^[0-9a-f]{64}$/.test(parts.payload) && parts.payload !== sha256Hex(body))
    return 'XAmzContentSHA256Mismatch';
  const canonical = canonicalRequest(request, url, parts);
  const scope = [day, region, service, end].join('/');
  const text = ['AWS4-HMAC-SHA256', parts.date, scope, sha256Hex(canonical)].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<Buffer | string>(
    hmac,
    `AWS4${S3_ACCOUNT.secret}`,
  );
  return hmac(key, text).toString('hex') === parts.signature ? undefined : 'SignatureDoesNotMatch';
}

function parseSignature({ headers }: IncomingMessage, query: URLSearchParams): SignatureParts | undefined {
  if (query.has('X-Amz-Signature')) {
    const readParameter = (name: string) => query.get(`X-Amz-${name}`) ?? '';
    return {
      credential: readParameter('Credential'),
      signedHeaders: readParameter('SignedHeaders'),
      signature: readParameter('Signature'),
      date: readParameter('Date'),
      payload: 'UNSIGNED-PAYLOAD',
      expires: Number(readParameter('Expires')),
    };
  }
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    );
  if (!match) return undefined;
  const [, credential = '', signedHeaders = '', signature = ''] = match;
  return {
    credential,
    signedHeaders,
    signature,
    date: String(headers['x-amz-date'] ?? ''),
    payload: String(headers['x-amz-content-sha256'] ?? ''),
    expires: undefined,
  };
}

function canonicalRequest(
  request: IncomingMessage,
  url: URL,
  { signedHeaders, payload }: SignatureParts,
): string {
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort();
  const path = decodeURIComponent(url.pathname).split('/').map(encode).join('/');
  const headerLines = signedHeaders.split(';').map(
    (name) =>
      `${name}:${String(request.headers[name] ?? '')
        .trim()
        .replace(/ +/g, ' ')}\n`,
  );
  return [request.method, path, query.join('&'), headerLines.join(''), signedHeaders, payload].join('\n');
}
