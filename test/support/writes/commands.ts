import type { Command } from '../../../shared/contracts/command.js';
import { hashBody } from '../../../shared/contracts/json/canonical-json.js';
import { newId } from '../../../shared/platform/ids.js';

/**
 * Builds a command as the API process would submit it for a request with an API key. With
 * `idempotencyKey`, the command also contains this key, and the method, path and body hash of the
 * request.
 */
export function buildCommand(
  type: string,
  tenantId: string,
  input: Record<string, unknown>,
  { idempotencyKey, ...overrides }: Partial<Command> & { idempotencyKey?: string } = {},
): Command {
  const id = newId();
  const entityId = overrides.entityId ?? newId();
  const creates = type.endsWith('.create');
  const collection = `/${type.split('.')[0]?.replace('_', '-')}s`;
  return {
    id,
    type,
    tenantId,
    environment: 'live',
    actor: { type: 'api_key', id: newId(), name: 'test key' },
    source: 'rest',
    tool: null,
    entityId,
    input,
    dryRun: false,
    unknownFields: [],
    idempotency: idempotencyKey
      ? {
          key: idempotencyKey,
          method: creates ? 'POST' : 'PATCH',
          path: creates ? collection : `${collection}/${entityId}`,
          bodyHash: hashBody(input),
        }
      : null,
    requestId: id,
    ip: '127.0.0.1',
    userAgent: null,
    traceparent: null,
    ...overrides,
  };
}
