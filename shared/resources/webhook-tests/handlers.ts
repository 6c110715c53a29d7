import type { CommandHandlers } from '../../contracts/command.js';
import { testEndpoints } from './test-handler.js';

export const webhookTestHandlers: CommandHandlers = {
  'webhook_delivery.test': testEndpoints,
};
