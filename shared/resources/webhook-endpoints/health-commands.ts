import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';

/** The clock's, all of them: no route leads here, so there is no body to check. */
const shared = {
  entityType: 'webhook_endpoint',
  creates: false,
  schema: Joi.object({}),
  permission: 'admin',
  agentScope: null,
} as const;

export const warnOfEndpoint = defineCommand({
  ...shared,
  type: 'webhook_endpoint.warn',
  action: 'webhook_endpoint.warned',
});

export const disableEndpoint = defineCommand({
  ...shared,
  type: 'webhook_endpoint.disable',
  action: 'webhook_endpoint.disabled',
});

/** It takes deliveries again, before it was disabled. */
export const noteEndpointRecovery = defineCommand({
  ...shared,
  type: 'webhook_endpoint.note_recovery',
  action: 'webhook_endpoint.recovery_noted',
});

/** It was disabled for failing and has taken a probe. */
export const healEndpoint = defineCommand({
  ...shared,
  type: 'webhook_endpoint.heal',
  action: 'webhook_endpoint.healed',
});

export const probeEndpoint = defineCommand({
  ...shared,
  type: 'webhook_endpoint.probe',
  action: 'webhook_endpoint.probed',
});

export const recordExhausted = defineCommand({
  ...shared,
  type: 'webhook_endpoint.record_exhausted',
  action: 'webhook_endpoint.exhaustion_recorded',
});
