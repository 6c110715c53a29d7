import type { DriverAction, DriverState } from '../../../api/public/driver/driver-contract.js';

/** A picture that the driver took. It is already shrunk. */
export interface PhotoAction {
  kind: 'photo';
  id: string;
  at: string;
  type: string;
  data: ArrayBuffer;
}

/** An action that the page has not sent yet, or that the server refused. */
export interface StoredAction {
  /** Grows with each action of the driver. */
  seq: number;
  job: string;
  action: DriverAction | PhotoAction;
  /** The reason why the server refused the action. Null if the page has not sent the action yet. */
  refused: string | null;
}

interface StoredJob {
  job: string;
  state: DriverState;
  savedAt: number;
}

/** The data of work orders that the phone keeps until they end. */
export interface Store {
  readState(job: string): Promise<DriverState | undefined>;
  saveState(job: string, state: DriverState): Promise<void>;
  listActions(job: string): Promise<StoredAction[]>;
  addAction(job: string, action: StoredAction['action']): Promise<void>;
  saveAction(stored: StoredAction): Promise<void>;
  deleteAction(seq: number): Promise<void>;
  /** Deletes all data of a work order. */
  clear(job: string): Promise<void>;
}

/** If a work order's page is not opened for this time, the phone deletes the work order's data. */
const MAX_AGE_MS = 7 * 24 * 3_600_000;

/**
 * Opens the phone's storage. If the browser has no storage, actions are kept only while the page is
 * open.
 */
export async function openStore(): Promise<Store> {
  try {
    const db = await openDatabase();
    await deleteOldJobs(db);
    return createStore(db);
  } catch {
    return createMemoryStore();
  }
}

function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open('driver-page', 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore('jobs', { keyPath: 'job' });
    const actions = request.result.createObjectStore('actions', { keyPath: 'seq', autoIncrement: true });
    actions.createIndex('job', 'job');
  };
  return settle(request);
}

function settle<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function createStore(db: IDBDatabase): Store {
  const jobs = (mode: IDBTransactionMode) => db.transaction('jobs', mode).objectStore('jobs');
  const actions = (mode: IDBTransactionMode) => db.transaction('actions', mode).objectStore('actions');
  return {
    async readState(job) {
      const found: StoredJob | undefined = await settle(jobs('readonly').get(job));
      return found?.state;
    },
    async saveState(job, state) {
      await settle(jobs('readwrite').put({ job, state, savedAt: Date.now() } satisfies StoredJob));
    },
    listActions: (job) => settle<StoredAction[]>(actions('readonly').index('job').getAll(job)),
    async addAction(job, action) {
      await settle(actions('readwrite').add({ job, action, refused: null }));
    },
    async saveAction(stored) {
      await settle(actions('readwrite').put(stored));
    },
    async deleteAction(seq) {
      await settle(actions('readwrite').delete(seq));
    },
    clear: (job) => deleteJob(db, job),
  };
}

async function deleteJob(db: IDBDatabase, job: string): Promise<void> {
  const transaction = db.transaction(['jobs', 'actions'], 'readwrite');
  transaction.objectStore('jobs').delete(job);
  const actions = transaction.objectStore('actions');
  for (const key of await settle(actions.index('job').getAllKeys(job))) actions.delete(key);
  await new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}

async function deleteOldJobs(db: IDBDatabase): Promise<void> {
  const all: StoredJob[] = await settle(db.transaction('jobs').objectStore('jobs').getAll());
  for (const { job, savedAt } of all) if (savedAt < Date.now() - MAX_AGE_MS) await deleteJob(db, job);
}

function createMemoryStore(): Store {
  const states = new Map<string, DriverState>();
  let actions: StoredAction[] = [];
  let lastSeq = 0;
  return {
    readState: async (job) => states.get(job),
    saveState: async (job, state) => void states.set(job, state),
    listActions: async (job) => actions.filter((stored) => stored.job === job),
    async addAction(job, action) {
      lastSeq += 1;
      actions.push({ seq: lastSeq, job, action, refused: null });
    },
    async saveAction(stored) {
      actions = actions.map((one) => (one.seq === stored.seq ? stored : one));
    },
    async deleteAction(seq) {
      actions = actions.filter((one) => one.seq !== seq);
    },
    async clear(job) {
      states.delete(job);
      actions = actions.filter((stored) => stored.job !== job);
    },
  };
}
