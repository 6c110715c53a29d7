import type { Command } from '../contracts/command.js';
import { AppError, type ErrorBody } from '../platform/errors.js';

export interface StoredRequest {
  method: string;
  path: string;
  body_hash: string;
}

/** Returns an error if the request reuses the Idempotency-Key of a different request. */
export function findReusedKeyError(
  idempotency: Command['idempotency'],
  kept: StoredRequest,
): ErrorBody | undefined {
  const own = { method: idempotency?.method, path: idempotency?.path, body_hash: idempotency?.bodyHash };
  const parts = (['method', 'path', 'body_hash'] as const).filter((part) => kept[part] !== own[part]);
  if (parts.length === 0) return undefined;
  const names = parts.map((part) => (part === 'body_hash' ? 'body' : part));
  return new AppError(
    'idempotency_key_reused',
    `This Idempotency-Key was used within 24 hours with another ${names.join(' and ')}. Use a new key for a new request.`,
    {
      details: names.map((field) => ({
        field,
        code: 'changed',
        message: `${field} differs from the first request`,
      })),
    },
  ).toBody();
}
