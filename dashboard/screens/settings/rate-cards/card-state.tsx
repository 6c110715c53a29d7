import { useTimeZone } from '../../../api/session';
import { StatusBadge } from '../../../parts/record/status-badge';
import { readToday } from '../../../parts/values/zoned-time';
import type { RateCard } from './card-draft';

/** Says whether the version is in force today, was before, or will be. */
export function CardState({ card }: { card: RateCard }) {
  const today = readToday(useTimeZone());
  const { effective_from: from, effective_until: until, is_default: isDefault } = card;
  // A version whose successor begins on the same day is never in force.
  const isOver = until !== null && (until <= today || until <= from);
  return (
    <>
      {isOver ? (
        <StatusBadge status="released" label="Superseded" />
      ) : from > today ? (
        <StatusBadge status="waiting" label={`From ${from}`} />
      ) : (
        <StatusBadge status="active" label="In force" />
      )}{' '}
      {isDefault && <StatusBadge status="read" label="Default" />}
    </>
  );
}
