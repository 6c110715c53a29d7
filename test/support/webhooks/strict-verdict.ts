/**
 * Checks one request against Standard Webhooks 1.0.0 and docs/decisions.md §8. This file shares no
 * code with the sender or with docs/webhooks, so that it can find mistakes in that code.
 */
import { createHmac, createPublicKey, verify } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

/** The keys that must sign an endpoint's requests. */
export interface SigningKeys {
  /** Secrets (`whsec_…`). Each of them must sign every request. */
  secrets: readonly string[];
  /** Public keys (`whpk_…`). The private key of each must sign every request. */
  publicKeys: readonly string[];
  /**
   * Secrets and public keys whose signatures are allowed but not required, for example during a
   * rotation.
   */
  tolerated: readonly string[];
}

/** One request as it arrived over the wire. */
export interface WireRequest {
  /** The time when the body was complete, in ms since 1970. */
  at: number;
  method: string;
  /** The header names and values, alternating, as they were sent. */
  rawHeaders: readonly string[];
  body: Buffer;
}

const SIGNATURE_LIST = /^v1a?,[A-Za-z0-9+/]+=*( v1a?,[A-Za-z0-9+/]+=*)*$/;
/**
 * The highest allowed age of `webhook-timestamp`. Receivers accept the same age
 * (docs/webhooks/verify.ts).
 */
const MAX_AGE_SECONDS = 300;
/**
 * `webhook-timestamp` may be at most this far in the future. Load makes timestamps older but never
 * newer, so this limit can be small.
 */
const MAX_AHEAD_SECONDS = 5;

/** Lists every way in which a request violates the requirements. */
export function findRequestProblems(request: WireRequest, keys: SigningKeys): string[] {
  const { at, method, rawHeaders, body } = request;
  const headers = new Map<string, string>();
  const problems = method === 'POST' ? [] : [`the method is ${method}`];
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'content-type']) {
    const found = toHeaderPairs(rawHeaders).filter(([own]) => own.toLowerCase() === name);
    if (found.length !== 1) problems.push(`${name} is there ${found.length} times`);
    for (const [own, value] of found) {
      if (own !== name && name !== 'content-type') problems.push(`${name} is written ${own}`);
      headers.set(name, value);
    }
  }
  const [id = '', timestamp = '', list = '', type = ''] = headers.values();
  if (headers.size < 4) return problems;
  if (!/^[A-Za-z0-9_-]{1,200}$/.test(id)) problems.push(`webhook-id is ${id}`);
  if (!/^application\/json(; *charset=utf-8)?$/i.test(type)) problems.push(`content-type is ${type}`);
  problems.push(...findTimestampProblems(timestamp, at), ...findBodyProblems(id, body));
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`, 'latin1'), body]);
  problems.push(...findSignatureProblems(list, content, keys));
  const packageHeaders = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': list };
  return [...problems, ...findPackageProblems(packageHeaders, body, keys.secrets)];
}

function toHeaderPairs(rawHeaders: readonly string[]): [string, string][] {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as [string, string]] : [],
  );
}

function findTimestampProblems(timestamp: string, at: number): string[] {
  if (!/^[1-9][0-9]*$/.test(timestamp)) return [`webhook-timestamp is ${timestamp}`];
  const age = at / 1000 - Number(timestamp);
  return age <= MAX_AGE_SECONDS && age >= -MAX_AHEAD_SECONDS
    ? []
    : [`webhook-timestamp is ${age.toFixed(1)} s old`];
}

function findBodyProblems(id: string, body: Buffer): string[] {
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
  const problems = event.id === id ? [] : [`the id of the body is ${event.id}`];
  if (!/^[a-zA-Z0-9_]+(\.[a-zA-Z0-9_]+)+$/.test(String(event.type))) problems.push(`type is ${event.type}`);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(String(event.timestamp)))
    problems.push(`timestamp is ${event.timestamp}`);
  if (typeof event.data !== 'object' || event.data === null) problems.push('data is no object');
  return problems;
}

function findSignatureProblems(
  list: string,
  content: Buffer,
  { secrets, publicKeys, tolerated }: SigningKeys,
): string[] {
  if (!SIGNATURE_LIST.test(list)) return [`webhook-signature is ${list}`];
  const signatures = list.split(' ');
  const problems = secrets.length + publicKeys.length === 0 ? ['no key of this endpoint is known'] : [];
  if (new Set(signatures).size !== signatures.length) problems.push('a signature is there twice');
  for (const signature of signatures) {
    const [scheme = '', encoded = ''] = signature.split(',');
    const bytes = Buffer.from(encoded, 'base64');
    const size = scheme === 'v1' ? 32 : 64;
    if (bytes.length !== size || bytes.toString('base64') !== encoded)
      problems.push(`${signature} is not the base64 of ${size} bytes`);
  }
  const required = [...secrets, ...publicKeys];
  const isOf = (key: string) => (signature: string) => isSignedBy(signature, content, key);
  for (const key of required)
    if (!signatures.some(isOf(key))) problems.push(`nothing is signed with ${key.slice(0, 12)}…`);
  for (const signature of signatures)
    if (![...required, ...tolerated].some((key) => isOf(key)(signature)))
      problems.push(`${signature} is of no known key`);
  return problems;
}

function isSignedBy(signature: string, content: Buffer, key: string): boolean {
  const bytes = Buffer.from(key.replace(/^wh(sec|pk)_/, ''), 'base64');
  if (key.startsWith('whsec_'))
    return signature === `v1,${createHmac('sha256', bytes).update(content).digest('base64')}`;
  if (!signature.startsWith('v1a,')) return false;
  // The key in DER, as SubjectPublicKeyInfo for ed25519 (RFC 8410).
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), bytes]);
  const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
  return verify(null, content, publicKey, Buffer.from(signature.slice(4), 'base64'));
}

/**
 * Verifies the request again with each secret, using the package that receivers use
 * (`standardwebhooks`).
 */
function findPackageProblems(
  headers: Record<string, string>,
  body: Buffer,
  secrets: readonly string[],
): string[] {
  return secrets.flatMap((secret) => {
    try {
      new Webhook(secret).verify(body, headers);
      return [];
    } catch (error) {
      return [`standardwebhooks: ${(error as Error).message}`];
    }
  });
}
