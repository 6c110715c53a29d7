import { defineCommand } from '../../contracts/command.js';
import type { RateCardCreate } from '../../contracts/generated.js';
import { rateCardCreate } from './schema.js';

// Agents cannot submit this command, because no agent scope of docs/specification.md covers prices.
export const createRateCard = defineCommand<RateCardCreate>({
  type: 'rate_card.create',
  action: 'rate_card.created',
  creates: true,
  schema: rateCardCreate,
  permission: 'write',
  conflictKeys: (input) => [`rate_card_name:${input.name.toLowerCase()}`],
});
