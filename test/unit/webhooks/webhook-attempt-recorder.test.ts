import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import type { Logger } from '../../../shared/platform/logger.js';
import type { Database } from '../../../shared/platform/postgres/database.js';
import { AttemptRecorder, type AttemptToStore } from '../../../workers/webhooks/store/attempt-recorder.js';

const createRecording = (onStored: () => void): AttemptToStore => ({
  record: {
    tenantId: newId(),
    endpointId: newId(),
    deliveryId: newId(),
    number: 1,
    attempt: undefined,
    decision: { status: 'cancelled', errorClass: 'event_expired', retryInMs: null, stop: null, pauseMs: 0 },
  },
  queueState: undefined,
  onStored,
});

describe('attempt recorder', () => {
  const db = { transaction: async () => undefined } as unknown as Database;

  it('an attempt that is added while a batch completes is stored too, at any microtask', async () => {
    for (let ticks = 0; ticks < 10; ticks += 1) {
      const recorder = new AttemptRecorder(db, {} as Logger);
      let stored = 0;
      const count = () => {
        stored += 1;
      };
      const addIn = (left: number): void => {
        if (left === 0) recorder.add(createRecording(count));
        else queueMicrotask(() => addIn(left - 1));
      };
      recorder.add(
        createRecording(() => {
          count();
          addIn(ticks);
        }),
      );
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(stored, `${ticks} microtasks later`).to.equal(2);
      expect(recorder.backlog).to.equal(0);
    }
  });
});
