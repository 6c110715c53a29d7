import { failpoint } from '../../../shared/config/failpoints.js';
import type { Attempt } from '../../../shared/deliveries/attempt.js';
import type { DueDelivery } from '../../../shared/deliveries/find-due-deliveries.js';
import type { Runtime } from '../../../shared/platform/process/runtime.js';
import type { EndpointQueue, InFlightRequest } from '../queue/endpoint-queue.js';
import { applyAttempt } from '../queue/endpoint-queue-health.js';
import { SLOW_MS } from '../queue/in-flight-requests.js';
import { decideOutcome, isSentOnce } from '../send/retry-policy.js';
import { AttemptRecorder } from './attempt-recorder.js';
import { type CompletedAttempt, observeAttempt } from './observe-attempt.js';

export interface ResultListener {
  /**
   * Called when a result is stored. If `retryInMs` is null, the delivery gets no further attempt.
   */
  onStored(endpointQueue: EndpointQueue, retryInMs: number | null): void;
}

/**
 * Decides the outcome of each request, updates the endpoint's health, and stores the outcome and
 * the health.
 */
export class ResultProcessor {
  private readonly recorder: AttemptRecorder;

  constructor(
    private readonly runtime: Runtime,
    private readonly listener: ResultListener,
  ) {
    this.recorder = new AttemptRecorder(runtime.db, runtime.logger);
  }

  get backlog(): number {
    return this.recorder.backlog;
  }

  process(endpointQueue: EndpointQueue, request: InFlightRequest, attempt: Attempt): void {
    failpoint(this.runtime.config, 'after_sent');
    const { delivery } = request;
    const decision = decideOutcome(
      { status: attempt.status, headers: attempt.responseHeaders ?? {}, errorClass: attempt.errorClass },
      {
        attempts: delivery.attempts + 1,
        isSingle: isSentOnce(delivery.trigger),
        now: new Date(),
        random: Math.random(),
      },
    );
    endpointQueue.finish(request, decision.status === 'succeeded');
    // An endpoint stays slow after a quick response if older requests still wait for a response.
    endpointQueue.health.isSlow =
      attempt.totalMs > SLOW_MS || endpointQueue.hasRequestSince(performance.now() - SLOW_MS);
    const completed = { delivery, attempt, decision };
    observeAttempt(this.runtime, completed);
    this.recordAttempt(endpointQueue, completed);
  }

  /** Cancels a delivery that cannot be sent, because its event was deleted. */
  cancelUnsendable(endpointQueue: EndpointQueue, delivery: DueDelivery): void {
    endpointQueue.unstoredIds.add(delivery.id);
    this.recorder.add({
      record: {
        ...endpointQueue.ref,
        deliveryId: delivery.id,
        number: delivery.attempts,
        attempt: undefined,
        decision: {
          status: 'cancelled',
          errorClass: 'event_expired',
          retryInMs: null,
          stop: null,
          pauseMs: 0,
        },
      },
      queueState: undefined,
      onStored: () => endpointQueue.unstoredIds.delete(delivery.id),
    });
  }

  /**
   * Stores the current state of the endpoint queue. The recorder stores states in the sequence of
   * these calls, so an older state cannot overwrite this one.
   */
  recordState(endpointQueue: EndpointQueue): void {
    this.recorder.add({
      record: undefined,
      queueState: endpointQueue.buildState(),
      onStored: () => undefined,
    });
  }

  close(deadlineMs: number): Promise<void> {
    return this.recorder.close(deadlineMs);
  }

  private recordAttempt(
    endpointQueue: EndpointQueue,
    { delivery, attempt, decision }: CompletedAttempt,
  ): void {
    const now = Date.now();
    const isSignificant = applyAttempt(endpointQueue.health, {
      deliveryId: delivery.id,
      isSingle: isSentOnce(delivery.trigger),
      decision,
      now,
      random: Math.random(),
    });
    const queueState = endpointQueue.takeStateToStore(isSignificant, now);
    // During a pause, a client may cancel the loaded deliveries, or more urgent deliveries may
    // arrive. So unload the queue, and load it again after the pause.
    if (endpointQueue.isPaused) endpointQueue.unload();
    this.recorder.add({
      record: {
        ...endpointQueue.ref,
        deliveryId: delivery.id,
        number: delivery.attempts + 1,
        attempt,
        decision,
      },
      queueState,
      onStored: () => {
        endpointQueue.unstoredIds.delete(delivery.id);
        this.listener.onStored(endpointQueue, decision.retryInMs);
      },
    });
  }
}
