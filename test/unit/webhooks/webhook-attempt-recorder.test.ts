import { expect } from 'chai';
import type { EndpointQueueHealth } from '../../../shared/deliveries/queue-health.js';
import type { EndpointQueueState } from '../../../shared/deliveries/store-queue-health.js';
import { newId } from '../../../shared/platform/ids.js';
import type { Logger } from '../../../shared/platform/logger.js';
import type { Database, SqlQuery, Transaction } from '../../../shared/platform/postgres/database.js';
import { AttemptRecorder, type AttemptToStore } from '../../../workers/webhooks/store/attempt-recorder.js';
import { eventually } from '../../support/poll.js';

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
      await eventually(`both to be stored, ${ticks} microtasks later`, () => stored === 2);
      expect(recorder.backlog).to.equal(0);
    }
  });

  it('a pause is stored after the states of earlier requests, even while they are being stored', async () => {
    const stored: (number | null)[][] = [];
    const waiting: (() => void)[] = [];
    const slow = {
      transaction: async (_: string[], work: (tx: Transaction) => Promise<void>) => {
        await new Promise<void>((resolve) => waiting.push(resolve));
        await work({
          queryAtCommit: ({ values }: SqlQuery) => stored.push(readPauses(values)),
        } as unknown as Transaction);
      },
    } as unknown as Database;
    const recorder = new AttemptRecorder(slow, {} as Logger);
    const add = (throttledUntil: number | null) =>
      recorder.add({ record: undefined, queueState: createState(throttledUntil), onStored: () => undefined });
    add(null);
    await eventually('the first state to be on its way', () => waiting.length === 1);
    add(1_800_000_000_000);
    waiting[0]?.();
    await eventually('the pause to be on its way', () => waiting.length === 2);
    waiting[1]?.();
    await recorder.close(1000);
    expect(stored).to.deep.equal([[null], [1_800_000_000_000]]);
  });
});

function createState(throttledUntil: number | null): EndpointQueueState {
  const health: EndpointQueueHealth = {
    consecutiveFailures: 0,
    failingSince: null,
    lastSuccessAt: null,
    lastFailureAt: null,
    lastError: null,
    openCount: 0,
    openUntil: null,
    throttledUntil,
    isSlow: false,
    stopReason: null,
    exhaustedCount: 0,
    lastExhaustedId: null,
  };
  return { tenantId: newId(), endpointId: newId(), owner: newId(), health };
}

function readPauses(values: unknown[] = []): (number | null)[] {
  const rows: { throttled_until: string | null }[] = JSON.parse(String(values[0]));
  return rows.map((row) => (row.throttled_until === null ? null : Date.parse(row.throttled_until)));
}
