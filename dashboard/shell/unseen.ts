import { useSyncExternalStore } from 'react';

/** Something new, until the person opens one of the screens that show it. */
export interface Unseen {
  id: string;
  screens: readonly string[];
}

let unseen: readonly Unseen[] = [];
const listeners = new Set<() => void>();

/** Replaces the unseen things by what `update` returns. */
export function updateUnseen(update: (old: readonly Unseen[]) => readonly Unseen[]): void {
  unseen = update(unseen);
  for (const listener of listeners) listener();
}

/** Returns how many things are new and unseen, for the title of the page. */
export function useUnseenCount(): number {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => unseen.length,
  );
}
