import type { DriverState, EmbeddedState } from '../../api/public/driver/driver-contract.js';
import { DriverPage } from './page.js';
import { Cashier } from './sending/cashier.js';
import { newId } from './sending/new-id.js';
import { Sender } from './sending/sender.js';
import { Server } from './sending/server.js';
import { openStore, type Store, type StoredAction } from './sending/store.js';
import './styles.css';

/** Interval at which an open page reads the dispatcher's changes. */
const READ_EVERY_MS = 60_000;

const token = location.pathname.split('/')[2] ?? '';
/**
 * Identifies the link in the phone's storage. These 16 characters are not enough to open a page.
 * They include the end of the token, so that a truncated link gets a different name than the whole
 * link.
 */
const job = token.slice(0, 8) + token.slice(-8);

/**
 * Tells other tabs with this work order that an action was stored or sent, or that the link has
 * ended.
 */
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

/** Reads the state that the server wrote into the page. */
function readEmbeddedState(): EmbeddedState {
  return JSON.parse(document.getElementById('state')?.textContent ?? 'null') as EmbeddedState;
}

/** Connects the page, the phone's storage and the server. */
class Controller {
  readonly #page: DriverPage;
  readonly #sender: Sender;
  readonly #cashier: Cashier;
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
      pay: (tap) => this.#cashier.tap(tap),
    });
    const server = new Server(`/d/${token}`);
    const onState = (state: DriverState) => {
      this.#receive(state);
      void store.saveState(job, state);
    };
    this.#cashier = new Cashier(server, {
      onChange: () => void this.#show(),
      onState,
      mustRead: () => this.#hasEnded || void this.#sender.run({ mustRead: true }),
    });
    this.#sender = new Sender(job, server, store, {
      onChange: () => this.#changed(),
      onState,
      onEnd: () => void this.#end(),
      onOnline: (isOnline) => {
        // The answer may have been on its way when the network went.
        this.#isOnline = isOnline && navigator.onLine;
        void this.#show();
      },
    });
  }

  async open(embedded: EmbeddedState): Promise<void> {
    if (embedded && 'has_ended' in embedded) return this.#end();
    const state = embedded ?? (await this.#readStored());
    if (state) this.#receive(state);
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

  /** Reads the state that the phone has kept. The truck may have left the place of a proposal. */
  async #readStored(): Promise<DriverState | undefined> {
    const state = await this.store.readState(job);
    return state && { ...state, proposal: null };
  }

  #receive(state: DriverState): void {
    this.#state = state;
    this.#cashier.receive(state);
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
    const state = await this.store.readState(job);
    if (state) this.#receive(state);
    await this.#show();
  }

  /** Deletes all data of the work order from the phone. */
  async #end(mustTellOthers = true): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const unsent = (await this.store.listActions(job)).filter(({ action }) => action.kind !== 'complete');
    await this.store.clear(job);
    this.#state = undefined;
    if (mustTellOthers) otherTabs?.postMessage('ended');
    this.#cashier.forget();
    this.#page.showEnd(unsent.length);
    this.#page.showPayment(this.#cashier);
  }

  async #show(): Promise<void> {
    const stored = await this.store.listActions(job);
    if (this.#hasEnded) this.#page.showPayment(this.#cashier);
    else if (this.#state)
      this.#page.show({
        state: this.#state,
        stored,
        isOnline: this.#isOnline,
        paying: this.#cashier,
      });
    else this.#page.showUnknown(this.#isOnline);
  }
}

void start();
