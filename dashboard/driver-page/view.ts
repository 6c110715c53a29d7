import type { DriverState, ReaderPayment } from '../../api/public/driver/driver-contract.js';
import type { NewTap } from './sending/cashier.js';
import type { StoredAction } from './sending/store.js';

/** The data that the page shows. */
export interface View {
  state: DriverState;
  /** Waiting and refused actions, in sequence. */
  stored: StoredAction[];
  isOnline: boolean;
  paying: Paying;
}

/** The facts about payments that the page shows in addition to the state. */
export interface Paying {
  /** The payment that was started last. */
  payment: ReaderPayment | undefined;
  /** The reason why the last tap failed or may have failed. */
  fault: string | undefined;
  /** True while a tap is being sent. */
  isBusy: boolean;
}

/** An action without the members that the page adds: its id and its time. */
export type NewAction = StoredAction['action'] extends infer Action
  ? Action extends unknown
    ? Omit<Action, 'id' | 'at'>
    : never
  : never;

export interface PageEvents {
  take: (action: NewAction) => Promise<void>;
  retry: (stored: StoredAction) => Promise<void>;
  discard: (stored: StoredAction) => Promise<void>;
  pay: (tap: NewTap) => Promise<void>;
}
