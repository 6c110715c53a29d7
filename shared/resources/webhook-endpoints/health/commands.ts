import Joi from 'joi';
import { defineCommand } from '../../../contracts/command.js';

/**
 * Only the clock submits these commands. No route accepts them, so there is no request body to
 * validate.
 */
const shared = {
  entityType: 'webhook_endpoint',
  creates: false,
  schema: Joi.object({}),
  permission: 'admin',
  agentScope: null,
} as const;

export const warnAboutEndpoint = defineCommand({
  ...shared,
  type: 'webhook_endpoint.warn',
  action: 'webhook_endpoint.warned',
});

export const disableEndpoint = defineCommand({
  ...shared,
  type: 'webhook_endpoint.disable',
  action: 'webhook_endpoint.disabled',
});

/** Records that a failing endpoint accepts deliveries again. The endpoint was not disabled. */
export const recordEndpointRecovery = defineCommand({
  ...shared,
  type: 'webhook_endpoint.note_recovery',
  action: 'webhook_endpoint.recovery_noted',
});

/** Enables an endpoint that was disabled for failing and has accepted a probe since. */
export const reenableEndpoint = defineCommand({
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
