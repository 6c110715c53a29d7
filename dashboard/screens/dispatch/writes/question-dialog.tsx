import type { WorkOrder } from '../../../api/records';
import { CompleteDialog } from '../../../parts/work-orders/complete-dialog';
import { PlainMoveDialog } from '../../../parts/work-orders/plain-move-dialog';
import { ask, useQuestion } from './card-store';

/** The dialog that confirms a write, after a click on a card or a drop. */
export function QuestionDialog({ find }: { find: (id: string) => WorkOrder | undefined }) {
  const question = useQuestion();
  const workOrder = question && find(question.workOrderId);
  if (!workOrder) return null;
  const close = () => ask(undefined);
  if (question.kind === 'complete') return <CompleteDialog workOrder={workOrder} onClose={close} />;
  return <PlainMoveDialog move="unassign" workOrder={workOrder} onClose={close} />;
}
