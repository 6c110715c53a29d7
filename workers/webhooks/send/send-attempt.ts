import type { Attempt } from '../../../shared/deliveries/attempt.js';
import type { DueDelivery } from '../../../shared/deliveries/find-due-deliveries.js';
import { redactUrl } from '../../../shared/deliveries/redact-url.js';
import { buildSignatureHeader, type SignatureInput } from '../../../shared/events/signing.js';
import type { OutboundClient } from '../../../shared/outbound/client.js';
import { OutboundError, PostponedError } from '../../../shared/outbound/outbound-error.js';
import { newId } from '../../../shared/platform/ids.js';
import type { EndpointConfig } from '../queue/endpoint-config.js';

/**
 * Maximum number of bytes that the worker reads of a response body. The worker never decompresses a
 * body.
 */
const MAX_READ_BYTES = 64 * 1024;
/** Maximum number of bytes that the delivery log stores of a response body. */
const MAX_STORED_BYTES = 16 * 1024;
const HIDDEN = '[hidden]';

export interface SendOptions {
  client: OutboundClient;
  /** Maximum time in ms from the start of the DNS lookup to the end of the response body. */
  deadlineMs: number;
  /** Rejects with PostponedError if the worker must not send to this address now. */
  admit?: (address: string) => Promise<void>;
}

/**
 * Sends one signed request (Standard Webhooks). All attempts of a delivery have the same id and the
 * same body. The timestamp is the moment of sending, after DNS lookup, connection and admission.
 * Returns a failed request as an attempt too, and does not throw its error.
 * @throws {PostponedError} if nothing was sent; this does not count as an attempt
 */
export async function sendAttempt(
  delivery: DueDelivery & { body: string },
  config: EndpointConfig,
  { client, deadlineMs, admit: beforeSend }: SendOptions,
): Promise<Attempt> {
  const startedAt = new Date();
  const startFields = { id: newId(), startedAt, url: redactUrl(config.url) };
  const secrets = selectSecrets(config, startedAt);
  const { eventId: id, body } = delivery;
  const ownHeaders = {
    'content-type': 'application/json',
    'user-agent': 'TowDispatch-Webhooks/1.0',
    'webhook-id': id,
  };
  let signatureHeaders: Record<string, string> | undefined;
  const sign = (at = new Date()) => {
    signatureHeaders = signAt(at, { id, body, secrets });
    return signatureHeaders;
  };
  const buildRequestFields = () => ({
    ...startFields,
    // If no request was sent, the log shows the headers that the request would have had.
    requestHeaders: {
      ...hideValues(config.headers),
      ...ownHeaders,
      ...(signatureHeaders ?? sign(startedAt)),
    },
  });
  try {
    // Never send an unsigned request. An endpoint has no secrets after it was deleted.
    if (secrets.length === 0) throw new Error('no secret');
    const response = await client.send({
      method: 'POST',
      url: config.url,
      headers: { ...config.headers, ...ownHeaders },
      buildFreshHeaders: () => sign(),
      body,
      deadlineMs,
      maxBodyBytes: MAX_READ_BYTES,
      // If the server closed an idle socket, the HTTP client repeats the request within this
      // attempt. The receiver recognizes the repeated request by the unchanged `webhook-id`.
      isIdempotent: true,
      ...(beforeSend ? { beforeSend } : {}),
    });
    return {
      ...buildRequestFields(),
      status: response.status,
      responseHeaders: response.headers,
      responseBody: response.body.length > 0 ? decodeText(response.body) : null,
      isTruncated: response.isTruncated || response.body.length > MAX_STORED_BYTES,
      errorClass: undefined,
      errorMessage: null,
      remoteAddress: response.remoteAddress,
      connectMs: response.connectMs,
      firstByteMs: response.firstByteMs,
      totalMs: response.totalMs,
    };
  } catch (error) {
    if (error instanceof PostponedError) throw error;
    return { ...buildRequestFields(), ...describeFailure(error, startedAt) };
  }
}

function describeFailure(error: unknown, startedAt: Date) {
  const outboundError = error instanceof OutboundError ? error : undefined;
  return {
    status: undefined,
    responseHeaders: null,
    responseBody: null,
    isTruncated: false,
    errorClass: outboundError?.kind ?? 'internal',
    errorMessage: outboundError?.message ?? 'Something went wrong on our side.',
    remoteAddress: outboundError?.remoteAddress ?? null,
    connectMs: null,
    firstByteMs: null,
    totalMs: outboundError?.totalMs ?? Date.now() - startedAt.getTime(),
  };
}

function signAt(at: Date, content: Omit<SignatureInput, 'timestampSeconds'>): Record<string, string> {
  const timestampSeconds = Math.floor(at.getTime() / 1000);
  return {
    'webhook-timestamp': `${timestampSeconds}`,
    'webhook-signature': buildSignatureHeader({ ...content, timestampSeconds }),
  };
}

/**
 * Returns the secrets that are still valid. Some may have expired after the settings were loaded.
 */
function selectSecrets({ secrets }: EndpointConfig, at: Date) {
  return secrets
    .filter(({ expiresAtMs }) => expiresAtMs === null || expiresAtMs > at.getTime())
    .map(({ secret }) => secret);
}

function hideValues(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, HIDDEN]));
}

/**
 * Decodes the part of a body that is stored. Replaces NUL characters, because PostgreSQL cannot
 * store them.
 */
function decodeText(body: Buffer): string {
  return body.subarray(0, MAX_STORED_BYTES).toString('utf8').replaceAll('\0', '\uFFFD');
}
