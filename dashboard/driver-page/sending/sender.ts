import type { DriverState } from '../../../api/public/driver/driver-contract.js';
import type { Answer, Server } from './server.js';
import type { Store, StoredAction } from './store.js';

/** The waits after tries without an answer. */
const PAUSES_MS = [2000, 5000, 15_000, 30_000];

export interface SenderEvents {
  /** Called when the list of stored actions has changed. */
  onChange: () => void;
  onState: (state: DriverState) => void;
  /** Called when the link has ended. The page can then send nothing more. */
  onEnd: () => void;
  onOnline: (isOnline: boolean) => void;
}

/**
 * Sends the stored actions in the sequence in which the driver took them. Retries each action until
 * the server has answered. Only one tab sends at a time. If two tabs ever send the same action, it
 * still acts once, because the server recognizes its id.
 */
export class Sender {
  #isRunning = false;
  #mustRunAgain = false;
  /** True while the page must read the state. Stays true after a request without an answer. */
  #mustRead = false;
  #fails = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly job: string,
    private readonly server: Server,
    private readonly store: Store,
    private readonly events: SenderEvents,
  ) {}

  /** Sends the waiting actions now. With `mustRead`, also reads the state if no action waits. */
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
      // Clear the flag before the request. A call of `run` during the request sets it again, to get
      // a newer state than this answer contains.
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
      // The answer to a refused action contains no state. The driver's action may have been refused
      // because the state has changed, so read the state.
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

/** Runs the work as soon as no other tab runs it. The work also sends the actions of other tabs. */
async function runInOneTab(work: () => Promise<void>): Promise<void> {
  // Browsers have locks only on pages with TLS.
  if (!('locks' in navigator)) return work();
  await navigator.locks.request('driver-page-sender', work);
}
