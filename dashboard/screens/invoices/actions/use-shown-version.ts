import { useState } from 'react';
import type { Problem } from '../../../api/problem';
import type { Invoice } from '../../../api/records';

/**
 * The version of an invoice that a dialog shows, and that the person decides on. It stays as it was
 * when the dialog was opened. Once the server has refused it as outdated, the newest is shown.
 */
export function useShownVersion(newest: Invoice, problem: Problem | undefined) {
  const [opened, setOpened] = useState(newest);
  const shown = problem?.isStale ? newest : opened;
  return {
    shown,
    /** Keeps the version that is shown while a write of it runs. */
    keepShown: () => setOpened(shown),
  };
}
