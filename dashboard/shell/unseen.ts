import { useSyncExternalStore } from 'react';

/** News that the person has not seen on any of these screens yet. */
export interface Unseen {
  id: string;
  screens: readonly string[];
}

let unseen: readonly Unseen[] = [];
const listeners = new Set<() => void>();

/** Replaces the list of unseen news with the result of `update`. */
export function updateUnseen(update: (old: readonly Unseen[]) => readonly Unseen[]): void {
  unseen = update(unseen);
  for (const listener of listeners) listener();
}

/** Returns the number of unseen news items, for the title of the page. */
export function useUnseenCount(): number {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => unseen.length,
  );
}
