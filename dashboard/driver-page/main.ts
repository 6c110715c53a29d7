import type { DriverState, EmbeddedState } from '../../api/public/driver/driver-contract.js';
import { newId } from './dom.js';
import { DriverPage } from './page.js';
import { Sender } from './sending/sender.js';
import { Server } from './sending/server.js';
import { openStore, type Store, type StoredAction } from './sending/store.js';
import './styles.css';

/** How often an open page reads what the dispatcher has changed. */
const READ_EVERY_MS = 60_000;

const token = location.pathname.split('/')[2] ?? '';
/**
 * Identifies the link in the phone's store. These 16 characters alone open no page. They include
 * the end of the token, so that a link that was cut off has another name than the whole link.
 */
const job = token.slice(0, 8) + token.slice(-8);

/** Tells other tabs of the same work order that something was stored, sent or has ended. */
const otherTabs = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(`driver-${job}`);

async function start(): Promise<void> {
  if ('serviceWorker' in navigator) navigator.serviceWorker.register('/d/sw.js').catch(() => undefined);
  const store = await openStore();
  // Without this request, the browser may delete waiting actions when the phone runs out of space.
  navigator.storage?.persist?.().catch(() => undefined);
  const main = document.getElementById('page') as HTMLElement;
  const controller = new Controller(store, main);
  await controller.open(readEmbeddedState());
}

/** Reads what the server wrote into the page. */
function readEmbeddedState(): EmbeddedState {
  return JSON.parse(document.getElementById('state')?.textContent ?? 'null') as EmbeddedState;
}

/** Connects the page, the phone's store and the server. */
class Controller {
  readonly #page: DriverPage;
  readonly #sender: Sender;
  #state: DriverState | undefined;
  #isOnline = navigator.onLine;
  #hasEnded = false;

  constructor(
    private readonly store: Store,
    main: HTMLElement,
  ) {
    this.#page = new DriverPage(main, {
      take: (action) => this.#take(action),
      retry: (stored) => this.#changeStored(() => store.saveAction({ ...stored, refused: null })),
      discard: (stored) => this.#changeStored(() => store.deleteAction(stored.seq)),
    });
    this.#sender = new Sender(job, new Server(`/d/${token}`), store, {
      onChange: () => this.#changed(),
      onState: (state) => {
        this.#state = state;
        void store.saveState(job, state);
      },
      onEnd: () => void this.#end(),
      onOnline: (isOnline) => {
        this.#isOnline = isOnline;
        void this.#show();
      },
    });
  }

  async open(embedded: EmbeddedState): Promise<void> {
    if (embedded && 'has_ended' in embedded) return this.#end();
    this.#state = embedded ?? (await this.store.readState(job));
    if (embedded) await this.store.saveState(job, embedded);
    await this.#show();
    const send = () => void this.#sender.run({ mustRead: true });
    addEventListener('online', send);
    addEventListener('offline', () => {
      this.#isOnline = false;
      void this.#show();
    });
    document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && send());
    setInterval(() => document.visibilityState === 'visible' && !this.#hasEnded && send(), READ_EVERY_MS);
    if (otherTabs) otherTabs.onmessage = ({ data }) => void this.#hear(data);
    send();
  }

  async #take(action: Omit<StoredAction['action'], 'id' | 'at'>): Promise<void> {
    const taken = { ...action, id: newId(), at: new Date().toISOString() } as StoredAction['action'];
    await this.#changeStored(() => this.store.addAction(job, taken));
  }

  async #changeStored(change: () => Promise<void>): Promise<void> {
    await change();
    this.#changed();
    await this.#show();
    void this.#sender.run();
  }

  #changed(): void {
    otherTabs?.postMessage('changed');
    void this.#show();
  }

  async #hear(message: unknown): Promise<void> {
    if (message === 'ended') return this.#end(false);
    this.#state = (await this.store.readState(job)) ?? this.#state;
    await this.#show();
  }

  /** Deletes everything about the work order from the phone. */
  async #end(mustTellOthers = true): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const unsent = (await this.store.listActions(job)).filter(({ action }) => action.kind !== 'complete');
    await this.store.clear(job);
    this.#state = undefined;
    if (mustTellOthers) otherTabs?.postMessage('ended');
    this.#page.showEnd(unsent.length);
  }

  async #show(): Promise<void> {
    const stored = await this.store.listActions(job);
    if (this.#hasEnded) return;
    if (this.#state) this.#page.show({ state: this.#state, stored, isOnline: this.#isOnline });
    else this.#page.showUnknown(this.#isOnline);
  }
}

void start();
