import { ERROR_STATUS, type ErrorCode } from '../../shared/platform/errors.js';

/**
 * The two ways to authenticate (docs/decisions.md §6). A route that only people may use accepts
 * only the session cookie.
 */
export const securitySchemes = {
  bearerAuth: { type: 'http', scheme: 'bearer', description: 'An API key or an agent key' },
  sessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'tow_session',
    description:
      'The session of a person who signed in with POST /session; in production its name is __Host-tow_session. Every write also needs the header X-Requested-With. X-Environment: sandbox selects the sandbox',
  },
};

const createTextHeader = (example: string) => ({ schema: { type: 'string' }, example });

/**
 * Response headers by component name. docs/specification.md §7 and §8 and docs/decisions.md §5 and
 * §6 explain them.
 */
export const sharedHeaders = {
  XRequestId: {
    description: 'Quote it to support; also error.requestId',
    ...createTextHeader('0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e'),
  },
  XRateLimitRemaining: {
    description: 'Calls left in the window that has the fewest left',
    schema: { type: 'integer' },
    example: 299,
  },
  RateLimit: {
    description: 'Calls left and seconds to the reset, by window',
    ...createTextHeader('"minute";r=299;t=60, "hour";r=4999;t=3600'),
  },
  RateLimitPolicy: {
    description: 'Quota and length of each window',
    ...createTextHeader('"minute";q=300;w=60, "hour";q=5000;w=3600'),
  },
  XIdempotencyReplay: {
    description: 'true: this is the stored response of an earlier request',
    ...createTextHeader('true'),
  },
  XServiceConsistencyToken: {
    description:
      'Sent where the service reads lists from a replica. Send it with a list or the dispatch board, which then includes this write',
    ...createTextHeader('v1.3q2-7wAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA.c3lzdGVt'),
  },
  Location: {
    description: 'Path of the new record',
    ...createTextHeader('/v1/invoices/0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e'),
  },
  ETag: {
    description: 'Version of the record, for If-Match',
    ...createTextHeader('"2026-11-21T14:30:00.000Z"'),
  },
  XServiceWarnings: {
    description:
      'Names of unknown query parameters and body members, which the service ignored, separated by commas. Characters other than letters, digits and _.-[] are percent-encoded. At most 20 names of 64 characters, then the number of further names. Absent when all are known',
    ...createTextHeader('custmer_id, line_items[0].colour'),
  },
  RetryAfter: { description: 'Seconds to wait', schema: { type: 'integer' }, example: 1 },
};

const EXAMPLES: Record<number, { code: ErrorCode; message: string; details?: object[] }> = {
  400: {
    code: 'validation_error',
    message: 'invoice_number is required.',
    details: [{ field: 'invoice_number', code: 'required', message: 'invoice_number is required' }],
  },
  401: { code: 'unauthorized', message: 'This API key is not valid: it is unknown, revoked or expired.' },
  403: {
    code: 'insufficient_scope',
    message: 'This key lacks the permission write.',
    details: [{ required: 'write' }],
  },
  404: { code: 'not_found', message: 'No such invoice. Check the id and that it belongs to this account.' },
  406: { code: 'not_acceptable', message: 'This API returns JSON. Accept application/json.' },
  409: {
    code: 'duplicate_invoice_number',
    message: 'invoice_number INV-1001 is taken. Numbers are unique in an account, ignoring case.',
    details: [{ field: 'invoice_number', code: 'duplicate', message: 'invoice_number INV-1001 is taken' }],
  },
  413: { code: 'payload_too_large', message: 'The body is larger than 1048576 bytes.' },
  415: { code: 'unsupported_media_type', message: 'Send the body as application/json.' },
  422: {
    code: 'idempotency_key_reused',
    message:
      'This Idempotency-Key was used within 24 hours with another body. Use a new key for a new request.',
    details: [{ field: 'body', code: 'changed', message: 'body differs from the first request' }],
  },
  412: {
    code: 'precondition_failed',
    message: 'The record has changed since you read it.',
    details: [
      {
        field: 'notes',
        from: 'old',
        to: 'new',
        changed_by: 'Dispatch',
        changed_at: '2026-11-21T14:30:00.000Z',
      },
    ],
  },
  428: {
    code: 'precondition_required',
    message:
      'An agent created, priced or re-addressed this invoice: approving it requires If-Match. Read the invoice, and send the ETag of what you saw.',
    details: [{ field: 'If-Match', code: 'required', message: 'approving it requires If-Match' }],
  },
  429: {
    code: 'rate_limited',
    message: 'Over the standard limit of 300 requests per minute. Try again in 12 s.',
    details: [{ window: 'minute', limit: 300, retry_after: 12 }],
  },
  500: {
    code: 'internal_error',
    message: 'Something went wrong on our side. Quote the request id to support.',
  },
  503: { code: 'service_unavailable', message: 'The store cannot be reached right now. Try again shortly.' },
};

function listCodes(status: number): string {
  const codes = Object.entries(ERROR_STATUS).filter(([, value]) => value === status);
  return codes.map(([code]) => `\`${code}\``).join(', ');
}

function buildErrorResponse(status: number) {
  const example = {
    ok: false,
    error: { ...EXAMPLES[status], requestId: '0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e' },
  };
  const retry = [409, 429, 503].includes(status)
    ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }
    : {};
  return {
    description: `error.code is ${listCodes(status)}`,
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/XRequestId' },
      'X-Service-Warnings': { $ref: '#/components/headers/XServiceWarnings' },
      ...retry,
    },
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, example } },
  };
}

const OPERATION_ID = '0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e';

const acceptedHeaders = {
  'X-Request-Id': { $ref: '#/components/headers/XRequestId' },
  'X-Service-Warnings': { $ref: '#/components/headers/XServiceWarnings' },
  Location: { $ref: '#/components/headers/Location' },
};
const acceptedExample = { ok: true, data: { operation_id: OPERATION_ID, status: 'queued' } };

/**
 * The responses that operations share: `Error400`, `Error401` and so on, and two kinds of 202.
 * `Accepted` means that the write is committed later. `AcceptedOrHeld` means that the write is
 * committed later or held for a person's approval.
 */
export const errorResponses = {
  ...Object.fromEntries(
    Object.keys(EXAMPLES).map((status) => [`Error${status}`, buildErrorResponse(Number(status))]),
  ),
  Accepted: {
    description:
      'Stored, not yet committed; the service runs it later. GET /operations/{id} returns the outcome',
    headers: acceptedHeaders,
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/Accepted' }, example: acceptedExample },
    },
  },
  AcceptedOrHeld: {
    description:
      "Held: an agent's write reached the account's agent_gate_cents or agent_day_cents and waits for a person; nothing else was stored, and pending_approval is true. Otherwise, with data.operation_id: stored and not yet committed, as for every write",
    headers: {
      ...acceptedHeaders,
      'X-Idempotency-Replay': { $ref: '#/components/headers/XIdempotencyReplay' },
    },
    content: {
      'application/json': {
        schema: {
          anyOf: [{ $ref: '#/components/schemas/Held' }, { $ref: '#/components/schemas/Accepted' }],
        },
        example: acceptedExample,
      },
    },
  },
};
