import type { Command } from '../../contracts/command.js';
import { AppError, type ErrorBody } from '../../platform/errors.js';

/** The request that an idempotent answer was kept for. */
export interface KeptRequest {
  method: string;
  path: string;
  body_hash: string;
}

/** The error of a request that brings an Idempotency-Key of another request; undefined when it is the same one. */
export function reusedKeyError(claim: Command['idempotency'], kept: KeptRequest): ErrorBody | undefined {
  const own = { method: claim?.method, path: claim?.path, body_hash: claim?.bodyHash };
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
