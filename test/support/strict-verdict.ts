/**
 * What Standard Webhooks 1.0.0 and decisions 8 ask of one request, written apart from the sender and from docs/webhooks: of both it may share no
 * line, or a mistake of theirs would be its own.
 */
import { createHmac, createPublicKey, verify } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

/** What an endpoint's requests must be signed with. */
export interface Keys {
  /** `whsec_…`: each of them has its signature in every request. */
  secrets: readonly string[];
  /** `whpk_…`: likewise. */
  publicKeys: readonly string[];
  /** Secrets and public keys that may sign or not, as around a rotation. */
  tolerated: readonly string[];
}

/** One request as it came over the wire. */
export interface WireRequest {
  /** When its body was complete, in ms. */
  at: number;
  method: string;
  /** Names and values by turns, as they were sent. */
  rawHeaders: readonly string[];
  body: Buffer;
}

const SIGNATURES = /^v1a?,[A-Za-z0-9+/]+=*( v1a?,[A-Za-z0-9+/]+=*)*$/;
/** What receivers allow (docs/webhooks/verify.ts). That each attempt is signed anew is seen in the log of attempts. */
const MAX_AGE_SECONDS = 300;
/** No load makes a timestamp later than the clock that it was read from. */
const MAX_AHEAD_SECONDS = 5;

/** Every way in which the request is not what it must be. */
export function judge(request: WireRequest, keys: Keys): string[] {
  const { at, method, rawHeaders, body } = request;
  const headers = new Map<string, string>();
  const faults = method === 'POST' ? [] : [`the method is ${method}`];
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'content-type']) {
    const found = pairs(rawHeaders).filter(([own]) => own.toLowerCase() === name);
    if (found.length !== 1) faults.push(`${name} is there ${found.length} times`);
    for (const [own, value] of found) {
      if (own !== name && name !== 'content-type') faults.push(`${name} is written ${own}`);
      headers.set(name, value);
    }
  }
  const [id = '', timestamp = '', list = '', type = ''] = headers.values();
  if (headers.size < 4) return faults;
  if (!/^[A-Za-z0-9_-]{1,200}$/.test(id)) faults.push(`webhook-id is ${id}`);
  if (!/^application\/json(; *charset=utf-8)?$/i.test(type)) faults.push(`content-type is ${type}`);
  faults.push(...timestampFaults(timestamp, at), ...bodyFaults(id, body));
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`, 'latin1'), body]);
  faults.push(...signatureFaults(list, content, keys));
  const second = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': list };
  return [...faults, ...packageFaults(second, body, keys.secrets)];
}

function pairs(rawHeaders: readonly string[]): [string, string][] {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as [string, string]] : [],
  );
}

function timestampFaults(timestamp: string, at: number): string[] {
  if (!/^[1-9][0-9]*$/.test(timestamp)) return [`webhook-timestamp is ${timestamp}`];
  const age = at / 1000 - Number(timestamp);
  return age <= MAX_AGE_SECONDS && age >= -MAX_AHEAD_SECONDS
    ? []
    : [`webhook-timestamp is ${age.toFixed(1)} s old`];
}

function bodyFaults(id: string, body: Buffer): string[] {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return ['the body is not valid UTF-8'];
  }
  let event: Record<string, unknown> | null;
  try {
    event = JSON.parse(text);
  } catch {
    return ['the body is no JSON'];
  }
  if (typeof event !== 'object' || event === null || Array.isArray(event)) return ['the body is no object'];
  const faults = event.id === id ? [] : [`the id of the body is ${event.id}`];
  if (!/^[a-zA-Z0-9_]+(\.[a-zA-Z0-9_]+)+$/.test(String(event.type))) faults.push(`type is ${event.type}`);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(String(event.timestamp)))
    faults.push(`timestamp is ${event.timestamp}`);
  if (typeof event.data !== 'object' || event.data === null) faults.push('data is no object');
  return faults;
}

function signatureFaults(list: string, content: Buffer, { secrets, publicKeys, tolerated }: Keys): string[] {
  if (!SIGNATURES.test(list)) return [`webhook-signature is ${list}`];
  const given = list.split(' ');
  const faults = secrets.length + publicKeys.length === 0 ? ['no key of this endpoint is known'] : [];
  if (new Set(given).size !== given.length) faults.push('a signature is there twice');
  for (const signature of given) {
    const [scheme = '', encoded = ''] = signature.split(',');
    const bytes = Buffer.from(encoded, 'base64');
    const size = scheme === 'v1' ? 32 : 64;
    if (bytes.length !== size || bytes.toString('base64') !== encoded)
      faults.push(`${signature} is not the base64 of ${size} bytes`);
  }
  const required = [...secrets, ...publicKeys];
  const isOf = (key: string) => (signature: string) => belongs(signature, content, key);
  for (const key of required)
    if (!given.some(isOf(key))) faults.push(`nothing is signed with ${key.slice(0, 12)}…`);
  for (const signature of given)
    if (![...required, ...tolerated].some((key) => isOf(key)(signature)))
      faults.push(`${signature} is of no known key`);
  return faults;
}

function belongs(signature: string, content: Buffer, key: string): boolean {
  const bytes = Buffer.from(key.replace(/^wh(sec|pk)_/, ''), 'base64');
  if (key.startsWith('whsec_'))
    return signature === `v1,${createHmac('sha256', bytes).update(content).digest('base64')}`;
  if (!signature.startsWith('v1a,')) return false;
  // SubjectPublicKeyInfo of ed25519 (RFC 8410).
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), bytes]);
  const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
  return verify(null, content, publicKey, Buffer.from(signature.slice(4), 'base64'));
}

/** A second opinion, of the package that receivers use. */
function packageFaults(headers: Record<string, string>, body: Buffer, secrets: readonly string[]): string[] {
  return secrets.flatMap((secret) => {
    try {
      new Webhook(secret).verify(body, headers);
      return [];
    } catch (error) {
      return [`standardwebhooks: ${(error as Error).message}`];
    }
  });
}
