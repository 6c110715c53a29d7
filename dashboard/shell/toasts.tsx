import { lazy, Suspense } from 'react';
import { useAreToastsUsed } from '../api/toast';

const Container = lazy(() => import('./toast-container'));

/** The container of toasts. It is loaded with the first toast. */
export function Toasts() {
  if (!useAreToastsUsed()) return null;
  return (
    <Suspense>
      <Container />
    </Suspense>
  );
}
