import type { ReactNode } from 'react';
import { useSyncExternalStore } from 'react';

/** True once a toast was shown: the container of toasts is loaded only then. */
let isUsed = false;
const listeners = new Set<() => void>();

export function useAreToastsUsed(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isUsed,
  );
}

/** Shows a short text in the corner, for what the person started or must hear of. */
export async function showToast(
  message: ReactNode,
  { title, autoClose = 5000 }: { title?: string; autoClose?: number | false } = {},
): Promise<void> {
  isUsed = true;
  for (const listener of listeners) listener();
  const { notifications } = await import('@mantine/notifications');
  const closeButtonProps = { 'aria-label': 'Close' };
  notifications.show({ message, autoClose, closeButtonProps, ...(title ? { title } : {}) });
}
