import { useSyncExternalStore } from 'react';

const NAME = 'single-key-shortcuts';
const listeners = new Set<() => void>();

/** True unless the person has switched off single-key shortcuts (WCAG 2.2, 2.1.4). */
export function areSingleKeysOn(): boolean {
  return localStorage.getItem(NAME) !== 'off';
}

export function setSingleKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(NAME);
  else localStorage.setItem(NAME, 'off');
  for (const listener of listeners) listener();
}

export function useAreSingleKeysOn(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, areSingleKeysOn);
}
