import { newId } from '../platform/ids.js';
import type { Command } from './command.js';

/** What a part of the system wants written; nobody waits for it and no request is behind it. */
export interface SystemWish {
  type: string;
  tenantId: string;
  environment: 'live' | 'sandbox';
  /** The part, as the audit log names it. */
  name: string;
  entityId: string;
  input: unknown;
}

/** A command of the system itself. */
export function systemCommand({ name, ...wish }: SystemWish): Command {
  const id = newId();
  return {
    ...wish,
    id,
    actor: { type: 'system', id: null, name },
    source: 'job',
    tool: null,
    dryRun: false,
    unknownFields: [],
    idempotency: null,
    requestId: id,
    traceparent: null,
    ip: null,
    userAgent: null,
  };
}
