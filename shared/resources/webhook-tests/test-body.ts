import type { Command } from '../../contracts/command.js';
import type { EventType } from '../../contracts/vocabulary.js';
import { describeEventType } from '../event-types/bodies.js';
import { buildSyntheticEventBody } from '../events/envelope.js';

/**
 * Returns the body of a test event, with the example data of the event type. `data.test`
 * distinguishes the test from a real event.
 */
export function buildTestBody(
  type: EventType,
  { eventId, command, now }: { eventId: string; command: Command; now: Date },
): string {
  const { data } = describeEventType(type).example as { data: Record<string, unknown> };
  const { tenantId, environment } = command;
  return buildSyntheticEventBody({
    eventId,
    type,
    at: now,
    tenantId,
    environment,
    data: { ...data, test: true },
  });
}
