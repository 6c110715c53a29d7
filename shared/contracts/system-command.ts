import { newId } from '../platform/ids.js';
import type { Command } from './command.js';

export interface SystemCommandInput {
  type: string;
  tenantId: string;
  environment: 'live' | 'sandbox';
  /** Name of the submitting component, as the audit log shows it. */
  name: string;
  entityId: string;
  input: unknown;
}

/** Builds a command that the service itself submits, not a client. */
export function createSystemCommand({ name, ...rest }: SystemCommandInput): Command {
  const id = newId();
  return {
    ...rest,
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
