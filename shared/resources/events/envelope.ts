import Joi from 'joi';
import { environment as environmentName } from '../../contracts/enums.js';
import { dateTime, uuid } from '../../contracts/fields.js';
import type { ENVIRONMENTS } from '../../contracts/vocabulary.js';
import { API_VERSION } from '../../events/record-events.js';

/** What stands around an event's data. */
export function eventEnvelope(type: Joi.Schema): Record<string, Joi.Schema> {
  return {
    id: uuid(),
    type,
    api_version: Joi.string().valid(API_VERSION),
    timestamp: dateTime(),
    tenant_id: uuid(),
    environment: environmentName,
  };
}

/** What a delivery says that no event stands behind: a test, a probe. */
interface MadeUp {
  eventId: string;
  type: string;
  at: Date;
  tenantId: string;
  environment: (typeof ENVIRONMENTS)[number];
  data: object;
}

/** Its body, in the form of every event's, so that a receiver verifies and reads it like any other. */
export function madeUpBody({ eventId, type, at, tenantId, environment, data }: MadeUp): string {
  return JSON.stringify({
    id: eventId,
    type,
    api_version: API_VERSION,
    timestamp: at.toISOString(),
    tenant_id: tenantId,
    environment,
    data,
  });
}
