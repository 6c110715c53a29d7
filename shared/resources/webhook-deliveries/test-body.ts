import type { Command } from '../../contracts/command.js';
import { API_VERSION } from '../../events/record-events.js';

/** The example of a record that an event of this type shows. The catalogue of types is to give it, here and nowhere else. */
function exampleObject(_type: string): Record<string, unknown> {
  return {};
}

/** The body of an event that never happened, in the form of a true one; `data.test` tells it apart. */
export function testBody(
  type: string,
  { eventId, command, now }: { eventId: string; command: Command; now: Date },
): string {
  return JSON.stringify({
    id: eventId,
    type,
    api_version: API_VERSION,
    timestamp: now.toISOString(),
    tenant_id: command.tenantId,
    environment: command.environment,
    data: { object: exampleObject(type), test: true },
  });
}
