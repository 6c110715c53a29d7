import { newId } from '../../../shared/platform/ids.js';
import { toStorable } from '../../../shared/platform/storable-text.js';
import { markRemovedVehicles, storeVehicles } from '../../../shared/resources/connection-vehicles/store.js';
import { type DueStream, storeStreamProgress } from '../../../shared/sync/stream-rows.js';
import type { Step } from '../vendor/step.js';
import { getTelematics } from './get-telematics.js';

/** The place in a read of the vendor's list. */
interface Place {
  /** Identifies the read. */
  listId: string;
  next: string;
  /**
   * `requests` at the start of the read. If the stream is made due during any page, the list is
   * read again. A read that an earlier version began has none.
   */
  requests?: number;
}

/**
 * Reads one page of the vendor's vehicles. After the last page, the vehicles that the read did not
 * find count as removed.
 */
export async function readVehicles(step: Step, stream: DueStream): Promise<void> {
  const place = stream.cursor === null ? undefined : (JSON.parse(stream.cursor) as Place);
  const { listId = newId(), next = null, requests = stream.requests } = place ?? {};
  const page = toStorable(await getTelematics(step).listVehicles(await step.open(), next));
  await step.finish({
    async store(tx) {
      await storeVehicles(tx, step.connection, { vehicles: page.vehicles, listId });
      if (page.next === null) markRemovedVehicles(tx, step.connection, listId);
      storeStreamProgress(tx, step.connection, {
        stream: stream.stream,
        cursor:
          page.next === null ? null : JSON.stringify({ listId, next: page.next, requests } satisfies Place),
        inMs: page.next === null ? stream.every_seconds * 1000 : 0,
        requests,
      });
    },
  });
}
