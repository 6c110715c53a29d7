import Joi from 'joi';
import { environment as environmentName } from '../../contracts/enums.js';
import { dateTime, uuid } from '../../contracts/schemas/fields.js';
import type { ENVIRONMENTS } from '../../contracts/vocabulary.js';
import { API_VERSION } from '../../events/record-events.js';

/** Returns the schemas of the members around an event's `data`. */
export function buildEnvelopeSchema(type: Joi.Schema): Record<string, Joi.Schema> {
  return {
    id: uuid(),
    type,
    api_version: Joi.string().valid(API_VERSION),
    timestamp: dateTime(),
    tenant_id: uuid(),
    environment: environmentName,
  };
}

/** An event that is delivered but not recorded: a test or a probe. */
interface SyntheticEvent {
  eventId: string;
  type: string;
  at: Date;
  tenantId: string;
  environment: (typeof ENVIRONMENTS)[number];
  data: object;
}

/**
 * Builds the body of a synthetic event. A receiver verifies and parses it like the body of any
 * other event.
 */
export function buildSyntheticEventBody({
  eventId,
  type,
  at,
  tenantId,
  environment,
  data,
}: SyntheticEvent): string {
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
