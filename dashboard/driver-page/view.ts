import type { DriverState } from '../../api/public/driver/driver-contract.js';
import type { StoredAction } from './sending/store.js';

/** What the page shows. */
export interface View {
  state: DriverState;
  /** Waiting and refused actions, in sequence. */
  stored: StoredAction[];
  isOnline: boolean;
}

/** An action without what the page adds: its id and time. */
export type NewAction = StoredAction['action'] extends infer Action
  ? Action extends unknown
    ? Omit<Action, 'id' | 'at'>
    : never
  : never;

export interface PageEvents {
  take: (action: NewAction) => Promise<void>;
  retry: (stored: StoredAction) => Promise<void>;
  discard: (stored: StoredAction) => Promise<void>;
}
