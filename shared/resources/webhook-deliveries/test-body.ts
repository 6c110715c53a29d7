import type { Command } from '../../contracts/command.js';
import type { EventType } from '../../contracts/vocabulary.js';
import { eventTypeView } from '../event-types/bodies.js';
import { madeUpBody } from '../events/envelope.js';

/** The body of an event that never happened: the example of its type, which a true one looks like; `data.test` tells it apart. */
export function testBody(
  type: EventType,
  { eventId, command, now }: { eventId: string; command: Command; now: Date },
): string {
  const { data } = eventTypeView(type).example as { data: Record<string, unknown> };
  const { tenantId, environment } = command;
  return madeUpBody({ eventId, type, at: now, tenantId, environment, data: { ...data, test: true } });
}
