import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The one account that the server knows. */
export const S3_ACCOUNT = { id: 'AKIDEXPORTS', secret: 'secret-of-the-exports-account' };

const SKEW_MS = 15 * 60_000;
const hex = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest();
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

interface Claim {
  credential: string;
  signedHeaders: string;
  signature: string;
  date: string;
  payload: string;
  /** In a link alone, in seconds. */
  expires: number | undefined;
}

/** Code of S3's refusal; undefined when the request is signed by the account (AWS Signature Version 4). */
export function refuseSignature(request: IncomingMessage, body: Buffer): string | undefined {
  const url = new URL(request.url ?? '', 'http://s3');
  const claim = claimOf(request, url.searchParams);
  if (!claim) return 'AccessDenied';
  const [account, day = '', region = '', service = '', end] = claim.credential.split('/');
  if (account !== S3_ACCOUNT.id) return 'InvalidAccessKeyId';
  if (service !== 's3' || end !== 'aws4_request' || !claim.date.startsWith(day))
    return 'SignatureDoesNotMatch';
  const at = Date.parse(claim.date.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (claim.expires !== undefined && Date.now() > at + claim.expires * 1000) return 'AccessDenied';
  if (claim.expires === undefined && Math.abs(Date.now() - at) > SKEW_MS) return 'RequestTimeTooSkewed';
  const names = claim.signedHeaders.split(';');
  const unsigned = Object.keys(request.headers).filter(
    (name) => name.startsWith('x-amz-') && !names.includes(name),
  );
  if (!names.includes('host') || unsigned.length > 0) return 'AccessDenied';
  if (/^[0-9a-f]{64}$/.test(claim.payload) && claim.payload !== hex(body)) return 'XAmzContentSHA256Mismatch';
  const canonical = canonicalRequest(request, url, claim);
  const scope = [day, region, service, end].join('/');
  const text = ['AWS4-HMAC-SHA256', claim.date, scope, hex(canonical)].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<Buffer | string>(
    hmac,
    `AWS4${S3_ACCOUNT.secret}`,
  );
  return hmac(key, text).toString('hex') === claim.signature ? undefined : 'SignatureDoesNotMatch';
}

function claimOf({ headers }: IncomingMessage, query: URLSearchParams): Claim | undefined {
  if (query.has('X-Amz-Signature')) {
    const of = (name: string) => query.get(`X-Amz-${name}`) ?? '';
    return {
      credential: of('Credential'),
      signedHeaders: of('SignedHeaders'),
      signature: of('Signature'),
      date: of('Date'),
      payload: 'UNSIGNED-PAYLOAD',
      expires: Number(of('Expires')),
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

function canonicalRequest(request: IncomingMessage, url: URL, { signedHeaders, payload }: Claim): string {
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort();
  const path = decodeURIComponent(url.pathname).split('/').map(encode).join('/');
  const lines = signedHeaders.split(';').map(
    (name) =>
      `${name}:${String(request.headers[name] ?? '')
        .trim()
        .replace(/ +/g, ' ')}\n`,
  );
  return [request.method, path, query.join('&'), lines.join(''), signedHeaders, payload].join('\n');
}
