import { type Signed, signatureHeader } from '../../shared/events/signing.js';
import { newId } from '../../shared/platform/ids.js';
import type { OutboundClient } from '../../shared/platform/outbound/client.js';
import { HeldBackError, OutboundError } from '../../shared/platform/outbound/outbound-error.js';
import { bareUrl } from '../../shared/resources/webhook-endpoints/bare-url.js';
import type { DueDelivery } from './due-store.js';
import type { EndpointConfig } from './endpoint-config.js';

/** A receiver's answer is read so far and no farther; a compressed one is not unpacked. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** As much of it is kept in the log. */
const KEPT_BYTES = 16 * 1024;
const HIDDEN = '[hidden]';

/** One request and what came of it, as the log keeps it. */
export interface Attempt {
  id: string;
  startedAt: Date;
  url: string;
  requestHeaders: Record<string, string>;
  status: number | undefined;
  responseHeaders: Record<string, string | string[]> | null;
  responseBody: string | null;
  isTruncated: boolean;
  errorClass: string | undefined;
  errorMessage: string | null;
  remoteAddress: string | null;
  connectMs: number | null;
  firstByteMs: number | null;
  totalMs: number;
}

export interface SendOptions {
  client: OutboundClient;
  /** Over everything: name, connection, request, headers and body of the answer, in ms. */
  deadlineMs: number;
  /** Rejects with HeldBackError to send nothing to this address now. */
  admit?: (address: string) => Promise<void>;
}

/**
 * Sends one signed request (Standard Webhooks): the id stays the same over all attempts and so do
 * the bytes; the timestamp is of the moment at which they are written, after name, connection and
 * admission. Whatever goes wrong is what came of the attempt.
 * @throws {HeldBackError} when nothing was sent, so that there was no attempt
 */
export async function sendAttempt(
  delivery: DueDelivery & { body: string },
  config: EndpointConfig,
  { client, deadlineMs, admit }: SendOptions,
): Promise<Attempt> {
  const startedAt = new Date();
  const begun = { id: newId(), startedAt, url: bareUrl(config.url) };
  const secrets = secretsAt(config, startedAt);
  const { eventId: id, body } = delivery;
  const own = {
    'content-type': 'application/json',
    'user-agent': 'TowDispatch-Webhooks/1.0',
    'webhook-id': id,
  };
  let stamped: Record<string, string> | undefined;
  const stamp = (at = new Date()) => {
    stamped = signAt(at, { id, body, secrets });
    return stamped;
  };
  const sent = () => ({
    ...begun,
    // Of a request that was never written: what it would have been signed with.
    requestHeaders: { ...hide(config.headers), ...own, ...(stamped ?? stamp(startedAt)) },
  });
  try {
    // An endpoint loses its secrets when it is deleted. Nothing ever goes out unsigned.
    if (secrets.length === 0) throw new Error('no secret');
    const answer = await client.send({
      method: 'POST',
      url: config.url,
      headers: { ...config.headers, ...own },
      stamp: () => stamp(),
      body,
      deadlineMs,
      maxBodyBytes: MAX_ANSWER_BYTES,
      // The id stays the same: a socket that its server closed while it was idle costs no attempt.
      isRepeatable: true,
      ...(admit ? { admit } : {}),
    });
    return {
      ...sent(),
      status: answer.status,
      responseHeaders: answer.headers,
      responseBody: answer.body.length > 0 ? textOf(answer.body) : null,
      isTruncated: answer.isTruncated || answer.body.length > KEPT_BYTES,
      errorClass: undefined,
      errorMessage: null,
      remoteAddress: answer.remoteAddress,
      connectMs: answer.connectMs,
      firstByteMs: answer.firstByteMs,
      totalMs: answer.totalMs,
    };
  } catch (error) {
    if (error instanceof HeldBackError) throw error;
    return { ...sent(), ...failureOf(error, startedAt) };
  }
}

function failureOf(error: unknown, startedAt: Date) {
  const known = error instanceof OutboundError ? error : undefined;
  return {
    status: undefined,
    responseHeaders: null,
    responseBody: null,
    isTruncated: false,
    errorClass: known?.kind ?? 'internal',
    errorMessage: known?.message ?? 'Something went wrong on our side.',
    remoteAddress: known?.remoteAddress ?? null,
    connectMs: null,
    firstByteMs: null,
    totalMs: known?.totalMs ?? Date.now() - startedAt.getTime(),
  };
}

function signAt(at: Date, content: Omit<Signed, 'timestampSeconds'>): Record<string, string> {
  const timestampSeconds = Math.floor(at.getTime() / 1000);
  return {
    'webhook-timestamp': `${timestampSeconds}`,
    'webhook-signature': signatureHeader({ ...content, timestampSeconds }),
  };
}

/** The secrets that hold now: settings stay loaded for longer than an overlap may last. */
function secretsAt({ secrets }: EndpointConfig, at: Date) {
  return secrets
    .filter(({ expiresAtMs }) => expiresAtMs === null || expiresAtMs > at.getTime())
    .map(({ secret }) => secret);
}

function hide(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, HIDDEN]));
}

/** Readable text of the first bytes. PostgreSQL keeps no NUL. */
function textOf(body: Buffer): string {
  return body.subarray(0, KEPT_BYTES).toString('utf8').replaceAll('\0', '\uFFFD');
}
