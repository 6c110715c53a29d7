import { CircleAlert } from 'lucide-react';
import type { Fault, Problem } from '../../../api/problem';
import { nameTruck } from '../../../parts/choices/name-truck';
import { ChangeValue } from '../../../parts/record/change-value';
import { humanize } from '../../../parts/record/status-badge';
import { RecordLink } from '../../../parts/url/links';
import { TimeAgo } from '../../../parts/values/time';
import { changeCard } from '../writes/card-store';
import { useBoard } from './board-view';

/** Fields that mean nothing to a dispatcher. The history shows their changes. */
const INTERNAL = new Set(['intake', 'dispatch_time']);

/**
 * Explains why the last write was refused. Shows what a colleague changed, and whether the
 * dispatcher's own choice is kept.
 */
export function Conflict({
  workOrderId,
  problem,
  truckId,
}: {
  workOrderId: string;
  problem: Problem;
  /** The truck that the dispatcher has chosen. */
  truckId: string | undefined;
}) {
  const { trucks } = useBoard();
  const chosen = trucks.get(truckId ?? '');
  return (
    <section className="dispatch-conflict" aria-label="Not changed">
      <p>
        <CircleAlert size={14} aria-hidden />{' '}
        {problem.isStale ? 'Somebody else changed it first.' : problem.message}
      </p>
      {problem.isStale ? <Changes problem={problem} /> : <OtherWorkOrder problem={problem} />}
      {chosen && <p>Your choice, {nameTruck(chosen)}, is kept: Assign sends it again.</p>}
      <button
        type="button"
        className="dispatch-button"
        onClick={() => changeCard(workOrderId, { problem: undefined, truckId: undefined })}
      >
        Leave it as it is
      </button>
    </section>
  );
}

/** The last change of each field, with its author and time. */
function Changes({ problem }: { problem: Problem }) {
  const changes = new Map(problem.faults.map((fault) => [fault.field ?? '', fault]));
  const shown = [...changes].filter(([field]) => !INTERNAL.has(field));
  if (shown.length === 0) return <p>{problem.message}</p>;
  return (
    <ul>
      {shown.map(([field, { from, to, changed_by: who, changed_at: at }]) => (
        <li key={field}>
          {humanize(field.replace(/_id$/, ''))}: <ChangeValue field={field} value={from} /> →{' '}
          <ChangeValue field={field} value={to} />, by {who ?? 'somebody'} <TimeAgo at={at} />
        </li>
      ))}
    </ul>
  );
}

/** Names the work order that already has the chosen truck, if this caused the refusal. */
function OtherWorkOrder({ problem }: { problem: Problem }) {
  const taken = problem.faults.find(
    (fault): fault is Fault & { work_order_id: string; job_number: string } =>
      'work_order_id' in fault && 'job_number' in fault,
  );
  if (!taken) return null;
  return (
    <p>
      <RecordLink screen="dispatch" id={taken.work_order_id}>
        Open {taken.job_number}
      </RecordLink>
    </p>
  );
}
