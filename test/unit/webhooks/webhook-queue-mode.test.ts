import { expect } from 'chai';
import fc from 'fast-check';
import {
  isBehind,
  isCancelling,
  mayHoldCancelled,
  nextMode,
  QUEUE_TRANSITIONS,
  type QueueEvent,
  type QueueMode,
} from '../../../workers/webhooks/queue/queue-mode.js';
import { buildDueDelivery, buildEndpointQueue } from '../../support/webhooks/endpoint-queues.js';

const MODES = Object.keys(QUEUE_TRANSITIONS) as QueueMode[];
const LOAD_RESULTS = ['load_all', 'load_some', 'refuse', 'fail_load'] as const;
const EVENTS: readonly QueueEvent[] = ['wake', 'unload', 'start_load', ...LOAD_RESULTS, 'lose'];

/** Returns the mode of a new queue after these events. A queue starts in the mode `behind`. */
const follow = (...events: QueueEvent[]) => events.reduce<QueueMode>(nextMode, 'behind');

describe('modes of an endpoint queue', () => {
  it('every mode of an endpoint queue can be reached from its first mode', () => {
    const reached = new Set<QueueMode>(['behind']);
    for (const mode of reached) for (const next of Object.values(QUEUE_TRANSITIONS[mode])) reached.add(next);
    expect([...reached]).to.have.members(MODES);
  });

  it('every event is a transition or an error, and the errors are exactly the impossible ones', () => {
    const refused = (mode: QueueMode) =>
      EVENTS.filter((event) => {
        if (QUEUE_TRANSITIONS[mode][event] !== undefined) return false;
        expect(() => nextMode(mode, event)).to.throw(`in the mode ${mode} got the event ${event}`);
        return true;
      });
    for (const mode of MODES) {
      if (mode === 'lost') expect(refused(mode)).to.have.members(['wake', 'lose']);
      else if (mode.startsWith('loading')) expect(refused(mode), mode).to.deep.equal(['start_load']);
      else expect(refused(mode), mode).to.have.members(LOAD_RESULTS);
    }
    const known = MODES.flatMap((mode) => Object.keys(QUEUE_TRANSITIONS[mode]));
    expect(EVENTS).to.include.members(known);
  });

  it('a wake-up during a load is not lost, whatever the result of the load', () => {
    expect(follow('start_load', 'load_all')).to.equal('current');
    for (const result of ['load_all', 'load_some', 'fail_load'] as const)
      expect(follow('start_load', 'wake', result), result).to.equal('woken');
    expect(follow('start_load', 'wake', 'refuse')).to.equal('cancelling');
  });

  it('an endpoint queue cancels until one load finds no more to cancel, then loads again', () => {
    const cancelling = ['start_load', 'refuse'] as const;
    expect(follow(...cancelling, 'start_load', 'refuse')).to.equal('cancelling');
    expect(follow(...cancelling, 'start_load', 'fail_load')).to.equal('cancelling');
    expect(follow(...cancelling, 'start_load', 'load_all')).to.equal('woken');
  });

  it('an endpoint queue never leaves the mode lost', () => {
    expect(new Set(Object.values(QUEUE_TRANSITIONS.lost))).to.deep.equal(new Set(['lost']));
  });

  it('under any sequence of events a queue knows what it must load, check and cancel', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...EVENTS), { maxLength: 60 }), (events) => {
        let mode: QueueMode = 'behind';
        let [mayHaveMoreDue, mayHaveCancelled, mustCancel] = [true, false, false];
        for (const event of events) {
          if (event === 'lose' || QUEUE_TRANSITIONS[mode][event] === undefined) continue;
          mode = nextMode(mode, event);
          if (event === 'start_load') [mayHaveMoreDue, mayHaveCancelled] = [false, false];
          if (event === 'wake' || event === 'fail_load') [mayHaveMoreDue, mayHaveCancelled] = [true, true];
          if (event === 'unload' || event === 'load_some') mayHaveMoreDue = true;
          if (event === 'refuse') mustCancel = true;
          if (event === 'load_all' || event === 'load_some') mustCancel = false;
          expect(isCancelling(mode)).to.equal(mustCancel);
          if (mayHaveMoreDue) expect(isBehind(mode), mode).to.equal(true);
          // Assert nothing while a load runs. If deliveries are cancelled during a load, the next
          // load finds them.
          if (mayHaveCancelled && !mode.startsWith('loading'))
            expect(mayHoldCancelled(mode), mode).to.equal(true);
        }
      }),
    );
  });
});

describe('loads of an endpoint queue', () => {
  it('a load checks the loaded deliveries for cancelled ones only after a wake-up', () => {
    const queue = buildEndpointQueue();
    const delivery = buildDueDelivery();
    queue.load([delivery]);
    expect(queue.startLoad()).to.deep.include({ known: [delivery.id], doubtful: [], room: 3 });
    queue.wake();
    queue.endLoad('load_all');
    expect(queue.startLoad().doubtful).to.deep.equal([delivery.id]);
  });

  it('two loads of one endpoint queue never overlap, and a lost queue is never woken', () => {
    const queue = buildEndpointQueue();
    expect(() => queue.endLoad('load_all')).to.throw('in the mode current got the event load_all');
    queue.startLoad();
    expect(() => queue.startLoad()).to.throw('in the mode loading got the event start_load');
    queue.lose();
    expect(() => queue.wake()).to.throw('in the mode lost got the event wake');
  });

  it('an endpoint queue keeps its lease while it loads, even if its loaded deliveries are sent', () => {
    const queue = buildEndpointQueue();
    queue.startLoad();
    expect([queue.hasWork, queue.needsLoad, queue.isIdle]).to.deep.equal([true, false, false]);
    queue.endLoad('load_all');
    expect([queue.hasWork, queue.isIdle]).to.deep.equal([false, true]);
  });

  it('an endpoint queue that must cancel deliveries keeps its lease and loads again', () => {
    const queue = buildEndpointQueue();
    expect([queue.needsLoad, queue.isIdle]).to.deep.equal([false, true]);
    queue.startLoad();
    queue.endLoad('refuse');
    expect([queue.needsLoad, queue.isIdle]).to.deep.equal([true, false]);
  });
});
