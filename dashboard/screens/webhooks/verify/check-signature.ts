import type { SignedHeaders } from './header-text';

/** One step of the check, with the reason why it passed or failed. */
export interface Step {
  name: string;
  result: 'pass' | 'fail' | 'skipped';
  reason: string;
}

export interface Delivered {
  headers: SignedHeaders;
  body: string;
  secret: string;
}

const PREFIX = 'whsec_';
/** Maximum difference between the timestamp and the receiver's clock. */
const TOLERANCE_SECONDS = 300;

/**
 * Checks a delivery as a receiver does (Standard Webhooks, v1). Sends no data.
 * @param now milliseconds since 1970
 */
export async function checkDelivery(delivered: Delivered, now: number): Promise<readonly Step[]> {
  const { headers, secret, body } = delivered;
  const key = readSecret(secret.trim());
  const before = [checkHeaders(headers), checkTimestamp(headers['webhook-timestamp'], now), checkSecret(key)];
  return [...before, checkBody(body, headers['webhook-id']), await checkSignature(delivered, key)];
}

function checkHeaders(headers: SignedHeaders): Step {
  const missing = Object.entries(headers).flatMap(([name, value]) => (value.trim() === '' ? [name] : []));
  if (missing.length === 0) return pass('Headers', 'All three headers are there.');
  return fail('Headers', `Fill in ${missing.join(', ')}: the receiver cannot check a delivery without it.`);
}

function checkTimestamp(text: string, now: number): Step {
  const name = 'Timestamp';
  if (!/^\d+$/.test(text.trim()))
    return fail(name, 'It must be whole seconds since 1970, such as 1795729412.');
  const age = Math.round(now / 1000) - Number(text);
  const distance = `${formatSeconds(Math.abs(age))} ${age < 0 ? 'in the future' : 'old'}`;
  if (Math.abs(age) <= TOLERANCE_SECONDS) return pass(name, `It is ${distance}; five minutes are allowed.`);
  return fail(
    name,
    `It is ${distance}. Receivers refuse more than five minutes. That is right for an earlier delivery; for a new one, check the receiver's clock.`,
  );
}

function formatSeconds(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} hours` : `${Math.round(seconds / 86_400)} days`;
}

/** Returns the bytes of a secret, or the reason why the text is not a secret. */
function readSecret(secret: string): Uint8Array<ArrayBuffer> | string {
  if (secret === '') return 'Paste the signing secret, which starts with whsec_.';
  if (secret.startsWith('whpk_')) return 'This is a public key (v1a). Paste the signing secret, whsec_….';
  if (!secret.startsWith(PREFIX)) return 'It does not start with whsec_. Paste the whole signing secret.';
  const bytes = decodeBase64(secret.slice(PREFIX.length));
  if (!bytes) return 'What follows whsec_ is not base64. A part may be missing from the copy.';
  if (bytes.length < 24 || bytes.length > 64)
    return `It has ${bytes.length} bytes, but a secret has 24 to 64. A part may be missing from the copy.`;
  return bytes;
}

function checkSecret(key: Uint8Array | string): Step {
  if (typeof key === 'string') return fail('Secret', key);
  return pass('Secret', `It is base64 of ${key.length} bytes.`);
}

function checkBody(body: string, id: string): Step {
  const name = 'Body';
  if (body === '') return fail(name, 'It is empty. Paste the raw body, before anything parses it.');
  const bodyId = readId(body);
  if (bodyId === undefined)
    return fail(name, 'It is not a JSON object with an id. Paste the whole raw body.');
  if (bodyId === id.trim()) return pass(name, 'Its id is the webhook-id.');
  return fail(
    name,
    `Its id is ${bodyId}, which is not the webhook-id. Body and headers belong to different deliveries.`,
  );
}

function readId(body: string): string | undefined {
  try {
    const { id } = JSON.parse(body) as { id?: unknown };
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}

async function checkSignature(delivered: Delivered, key: Uint8Array<ArrayBuffer> | string): Promise<Step> {
  const name = 'Signature';
  const signatures = readSignatures(delivered.headers['webhook-signature']);
  if (typeof key === 'string') return skip(name, 'It cannot be computed without the secret.');
  if (signatures.length === 0)
    return fail(name, 'webhook-signature has no entry that starts with "v1,". Paste the whole header.');
  const own = await sign(key, delivered);
  if (signatures.includes(own)) {
    const which = signatures.length > 1 ? `One of ${signatures.length} v1 signatures` : 'The signature';
    return pass(name, `${which} is that of this body with this secret.`);
  }
  return fail(name, (await explainMismatch(delivered, key, signatures)) ?? explainUnknown(own));
}

function explainUnknown(own: string): string {
  return `None matches. This secret and body give v1,${own}. Either the secret is another endpoint's or was rolled, or the body or a header has changed since it was signed.`;
}

/** Looks for the usual mistakes. Returns the mistake that explains why no signature matches. */
async function explainMismatch(
  delivered: Delivered,
  key: Uint8Array<ArrayBuffer>,
  signatures: readonly string[],
): Promise<string | undefined> {
  const { body, secret } = delivered;
  const fits = async (change: Partial<Delivered>, bytes = key) =>
    signatures.includes(await sign(bytes, { ...delivered, ...change }));
  if (await fits({ body: body.trim() }))
    return 'The body has blanks or a line break at its start or end that were not sent. Check the raw bytes.';
  if (await fits({ body: body.replaceAll('\r\n', '\n') }))
    return 'The body has other line breaks than the one that was sent. Check the raw bytes.';
  const compact = reformat(body);
  if (compact !== undefined && (await fits({ body: compact })))
    return 'The body was parsed and written again with other blanks. Check the raw bytes, before anything parses them.';
  const text = new TextEncoder().encode(secret.trim());
  const rest = new TextEncoder().encode(secret.trim().slice(PREFIX.length));
  if ((await fits({}, text)) || (await fits({}, rest)))
    return 'The sender used the text of the secret as the key. The key is what follows whsec_, decoded from base64.';
  return undefined;
}

function reformat(body: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    return undefined;
  }
}

/** Returns the v1 signatures of the header, without their prefix. */
function readSignatures(header: string): string[] {
  return header
    .trim()
    .split(/\s+/)
    .filter((entry) => entry.startsWith('v1,'))
    .map((entry) => entry.slice(3));
}

/** Returns base64 of HMAC-SHA256 over `id.timestamp.body`. */
async function sign(key: Uint8Array<ArrayBuffer>, { headers, body }: Delivered): Promise<string> {
  const content = `${headers['webhook-id'].trim()}.${headers['webhook-timestamp'].trim()}.${body}`;
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const hmac = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign']);
  const bytes = await crypto.subtle.sign('HMAC', hmac, new TextEncoder().encode(content));
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function pass(name: string, reason: string): Step {
  return { name, result: 'pass', reason };
}

function fail(name: string, reason: string): Step {
  return { name, result: 'fail', reason };
}

function skip(name: string, reason: string): Step {
  return { name, result: 'skipped', reason };
}
