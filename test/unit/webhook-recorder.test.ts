import { expect } from 'chai';
import { newId } from '../../shared/platform/ids.js';
import type { Logger } from '../../shared/platform/logger.js';
import type { Database } from '../../shared/platform/postgres.js';
import { Recorder, type Recording } from '../../workers/webhooks/recorder.js';

const recording = (onStored: () => void): Recording => ({
  record: {
    ...{ tenantId: newId(), endpointId: newId(), deliveryId: newId(), number: 1, attempt: undefined },
    decision: { status: 'cancelled', errorClass: 'event_expired', retryInMs: null, stop: null, pauseMs: 0 },
  },
  lane: undefined,
  onStored,
});

describe('recorder of attempts', () => {
  const db = { transaction: async () => undefined } as unknown as Database;

  it('stores what is added while it comes to its end, whenever that is', async () => {
    for (let turns = 0; turns < 10; turns += 1) {
      const recorder = new Recorder(db, {} as Logger);
      let stored = 0;
      const count = () => {
        stored += 1;
      };
      const addIn = (left: number): void => {
        if (left === 0) recorder.add(recording(count));
        else queueMicrotask(() => addIn(left - 1));
      };
      recorder.add(
        recording(() => {
          count();
          addIn(turns);
        }),
      );
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(stored, `${turns} turns later`).to.equal(2);
      expect(recorder.backlog).to.equal(0);
    }
  });
});
