import { useCallback, useEffect, useState } from 'react';
import type { Problem } from '../../api/problem';

/**
 * Returns the version for If-Match: the version of the record when the form was opened. The page
 * reads records again and again. If the form sent the newest version, it would silently overwrite a
 * colleague's change. So it takes the newest version only after the server has refused the old one,
 * and the form has shown the changes.
 * @param isEditing false while nothing has been typed; the newest version is then taken
 */
export function useOpenedVersion<Versioned extends { updated_at: string }>(
  newest: Versioned,
  isEditing = true,
) {
  const [opened, setOpened] = useState(newest);
  const [isRefused, setRefused] = useState(false);
  const mayRenew = !isEditing || isRefused;
  useEffect(() => {
    if (!mayRenew || newest.updated_at === opened.updated_at) return;
    setOpened(newest);
    setRefused(false);
  }, [mayRenew, newest, opened]);
  /** For the option `onProblem` of useWrite. */
  const onProblem = useCallback((problem: Problem) => {
    if (problem.isStale) setRefused(true);
  }, []);
  return { opened, onProblem };
}
