import type { DriverState } from '../../../api/public/driver/driver-contract.js';
import type { Answer, Server } from './server.js';
import type { Store, StoredAction } from './store.js';

/** The pauses between tries without an answer. */
const PAUSES_MS = [2000, 5000, 15_000, 30_000];

export interface SenderEvents {
  /** What is waiting or stored has changed. */
  onChange: () => void;
  onState: (state: DriverState) => void;
  /** The link has ended: nothing more can be sent. */
  onEnd: () => void;
  onOnline: (isOnline: boolean) => void;
}

/**
 * Sends the stored actions in the sequence in which they were taken, and retries until the server
 * has answered. Only one tab sends at a time. If two tabs send nevertheless, each action still acts
 * once, because the server knows its id.
 */
export class Sender {
  #isRunning = false;
  #mustRunAgain = false;
  /** True while the state must be read. A request without an answer leaves it true. */
  #mustRead = false;
  #fails = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly job: string,
    private readonly server: Server,
    private readonly store: Store,
    private readonly events: SenderEvents,
  ) {}

  /** Sends now what waits. With `mustRead`, also reads the state if nothing waits. */
  async run({ mustRead = false } = {}): Promise<void> {
    this.#mustRead ||= mustRead;
    if (this.#isRunning) {
      this.#mustRunAgain = true;
      return;
    }
    this.#isRunning = true;
    clearTimeout(this.#timer);
    try {
      await runInOneTab(() => this.#sendAll());
    } finally {
      this.#isRunning = false;
    }
    if (this.#mustRunAgain) {
      this.#mustRunAgain = false;
      await this.run();
    }
  }

  async #sendAll(): Promise<void> {
    for (;;) {
      const next = await this.#findNext();
      if (!next && !this.#mustRead) return;
      // Set this before the request. What asks for the state while the request runs may be newer
      // than its answer.
      this.#mustRead = false;
      const answer = next ? await this.#send(next) : await this.server.readState();
      this.#receive(answer);
      if (answer.kind === 'later' || answer.kind === 'ended') return;
    }
  }

  async #send(next: StoredAction): Promise<Answer> {
    const answer = await this.server.send(next);
    if (answer.kind === 'ok') await this.store.deleteAction(next.seq);
    if (answer.kind === 'refused') {
      await this.store.saveAction({ ...next, refused: answer.reason });
      // A refusal comes without the state, and a change of the state may be its reason.
      this.#mustRead = true;
    }
    return answer;
  }

  async #findNext(): Promise<StoredAction | undefined> {
    return (await this.store.listActions(this.job)).find(({ refused }) => refused === null);
  }

  #receive(answer: Answer): void {
    const { events } = this;
    events.onOnline(answer.kind !== 'later');
    if (answer.kind === 'later') {
      this.#tryLater(answer.waitMs);
      return;
    }
    this.#fails = 0;
    const state = answer.kind === 'ok' ? answer.state : undefined;
    if (answer.kind === 'ended' || state === null) events.onEnd();
    else {
      if (state) events.onState(state);
      events.onChange();
    }
  }

  #tryLater(waitMs: number | undefined): void {
    const pause = PAUSES_MS[Math.min(this.#fails, PAUSES_MS.length - 1)];
    this.#fails += 1;
    this.#mustRead = true;
    this.#timer = setTimeout(() => void this.run(), waitMs ?? pause);
  }
}

/** Runs the work as soon as no other tab does. Each tab also sends what the others have stored. */
async function runInOneTab(work: () => Promise<void>): Promise<void> {
  // Browsers have locks only on pages with TLS.
  if (!('locks' in navigator)) return work();
  await navigator.locks.request('driver-page-sender', work);
}
