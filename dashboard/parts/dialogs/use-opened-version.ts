import { useCallback, useEffect, useState } from 'react';
import type { Problem } from '../../api/problem';

/**
 * Returns the version of a record with which a form was opened, for If-Match. The page re-reads
 * records all the time; if the form sent the newest version, it would silently overwrite what a
 * colleague has just saved. So it takes the newest version only after the server has refused its
 * own and shown what changed.
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
  /** An option of useWrite. */
  const onProblem = useCallback((problem: Problem) => {
    if (problem.isStale) setRefused(true);
  }, []);
  return { opened, onProblem };
}
