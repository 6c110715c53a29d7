import { lazy, Suspense } from 'react';
import { useAreToastsUsed } from '../api/toast';

const Container = lazy(() => import('./toast-container'));

/** The place of toasts, which is loaded with the first of them. */
export function Toasts() {
  if (!useAreToastsUsed()) return null;
  return (
    <Suspense>
      <Container />
    </Suspense>
  );
}
