import type { CommandHandlers } from '../../contracts/command.js';
import { createWebhookEndpoints } from './create-handler.js';
import {
  disableEndpoints,
  probeEndpoints,
  recordEndpointRecoveries,
  recordExhaustedDeliveries,
  reenableEndpoints,
  warnAboutEndpoints,
} from './health/handlers.js';
import { rotateWebhookSecrets } from './rotate-handler.js';
import { deleteWebhookEndpoints, updateWebhookEndpoints } from './update-handler.js';

export const webhookEndpointHandlers: CommandHandlers = {
  'webhook_endpoint.warn': warnAboutEndpoints,
  'webhook_endpoint.disable': disableEndpoints,
  'webhook_endpoint.note_recovery': recordEndpointRecoveries,
  'webhook_endpoint.heal': reenableEndpoints,
  'webhook_endpoint.probe': probeEndpoints,
  'webhook_endpoint.record_exhausted': recordExhaustedDeliveries,
  'webhook_endpoint.create': createWebhookEndpoints,
  'webhook_endpoint.create_for_club': createWebhookEndpoints,
  'webhook_endpoint.update': updateWebhookEndpoints,
  'webhook_endpoint.rotate_secret': rotateWebhookSecrets,
  'webhook_endpoint.delete': deleteWebhookEndpoints,
};
