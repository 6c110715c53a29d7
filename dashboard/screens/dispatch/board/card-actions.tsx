import type { Schemas, WorkOrder } from '../../../api/records';
import { humanize } from '../../../parts/record/status-badge';
import { STEP_NAMES } from '../../../parts/work-orders/steps';
import { ask, type CardState } from '../writes/card-store';
import { AssignForm } from './assign-form';
import { useBoard } from './board-view';

/** Returns the step after the last logged step. Returns undefined after the final step. */
function nextStep(step: WorkOrder['step']): Schemas['DriverStep'] | undefined {
  // Skip the first step, `offered`, which only some dispatchers log.
  return STEP_NAMES[step === null ? 1 : STEP_NAMES.indexOf(step) + 1];
}

/**
 * One or two buttons for the next action on a work order with a truck. The drawer has all other
 * actions. A proposed step takes the place of the next one, which the driver may have left out.
 */
export function CardActions({
  workOrder,
  state,
  proposed,
}: {
  workOrder: WorkOrder;
  state: CardState;
  proposed: Schemas['DriverStep'] | null;
}) {
  const { act, canWrite, canDispatch } = useBoard();
  const { isRunning = false, truckId, problem } = state;
  const { status } = workOrder;
  if (status === 'completed' || status === 'cancelled' || !canWrite) return null;
  const step = proposed ?? nextStep(workOrder.step);
  return (
    <>
      <div className="dispatch-actions">
        {step && (
          <button
            type="button"
            className="dispatch-button"
            disabled={isRunning}
            onClick={() => void act(workOrder, { name: 'step', step })}
          >
            {`Log ${humanize(step).toLowerCase()}`}
          </button>
        )}
        {status === 'dispatched' ? (
          <button
            type="button"
            className="dispatch-button"
            disabled={isRunning}
            onClick={() => void act(workOrder, { name: 'start' })}
          >
            Start
          </button>
        ) : (
          <button
            type="button"
            className="dispatch-button"
            disabled={isRunning}
            onClick={() => ask({ kind: 'complete', workOrderId: workOrder.id })}
          >
            Complete
          </button>
        )}
      </div>
      {canDispatch && (truckId || problem) && <AssignForm workOrder={workOrder} state={state} />}
    </>
  );
}
