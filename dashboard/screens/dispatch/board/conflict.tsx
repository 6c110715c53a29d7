import { CircleAlert } from 'lucide-react';
import type { Fault, Problem } from '../../../api/problem';
import { nameTruck } from '../../../parts/choices/name-truck';
import { ChangeValue } from '../../../parts/record/change-value';
import { humanize } from '../../../parts/record/status-badge';
import { RecordLink } from '../../../parts/url/links';
import { TimeAgo } from '../../../parts/values/time';
import { changeCard, useCardState } from '../writes/card-store';
import { useBoard } from './board-view';

/** Fields whose change means nothing to a dispatcher. The history shows them. */
const INTERNAL = new Set(['intake', 'dispatch_time']);

/**
 * Why the last write was refused: what somebody else changed, and what becomes of the choice made
 * here.
 */
export function Conflict({ workOrderId }: { workOrderId: string }) {
  const { problem, truckId } = useCardState(workOrderId);
  const { trucks } = useBoard();
  if (!problem) return null;
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

/** The last change of each field, by whom and when. */
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

/** Names the work order that has the chosen truck, if the write was refused for that reason. */
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
