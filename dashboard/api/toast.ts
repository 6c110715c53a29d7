import type { ReactNode } from 'react';
import { useSyncExternalStore } from 'react';

/** True once a toast was shown. The page loads the container of toasts only then. */
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

/** Shows a short text in the corner, for the result of an action or for important news. */
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
