import type { Command } from '../../contracts/command.js';
import type { EventType } from '../../contracts/vocabulary.js';
import { API_VERSION } from '../../events/record-events.js';
import { eventTypeView } from '../event-types/bodies.js';

/** The body of an event that never happened: the example of its type, which a true one looks like; `data.test` tells it apart. */
export function testBody(
  type: EventType,
  { eventId, command, now }: { eventId: string; command: Command; now: Date },
): string {
  const { data } = eventTypeView(type).example as { data: Record<string, unknown> };
  return JSON.stringify({
    id: eventId,
    type,
    api_version: API_VERSION,
    timestamp: now.toISOString(),
    tenant_id: command.tenantId,
    environment: command.environment,
    data: { ...data, test: true },
  });
}
