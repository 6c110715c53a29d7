import type { DeployedService } from './deployed-service.js';
import type { Deployment } from './deployment.js';

export type ProcessKind =
  | 'web'
  | 'mcp'
  | 'writes'
  | 'webhooks'
  | 'exports'
  | 'integrations'
  | 'clock'
  | 'messages';

/** Returns the services of a scaled-out deployment by the type of their process. */
export function listKinds(deployment: Deployment): Record<ProcessKind, DeployedService[]> {
  const { webs, mcps, writers, webhooks, exporters, integrators, clock, messages } = deployment;
  return {
    web: webs,
    mcp: mcps,
    writes: writers,
    webhooks,
    exports: exporters,
    integrations: integrators,
    clock: clock ? [clock] : [],
    messages: messages ? [messages] : [],
  };
}
