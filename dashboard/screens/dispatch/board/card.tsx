import { type MouseEvent, memo, useEffect, useRef } from 'react';
import type { WorkOrder } from '../../../api/records';
import { humanize } from '../../../parts/record/status-badge';
import { takeMove } from '../writes/card-store';
import { Age } from './age';
import { type Suggestion, useBoard } from './board-view';
import { CardActions } from './card-actions';
import { Conflict } from './conflict';
import { endDrag, startDrag } from './drag';
import { SuggestionOffer } from './suggestion-offer';

interface CardProps {
  workOrder: WorkOrder;
  /** Whoever gets the invoice, or else whoever called. */
  customer: string | null;
  /** Truck and driver. */
  crew: string | null;
  suggestion: Suggestion | undefined;
}

/**
 * A work order on the board. Plain HTML and one memo, so that 200 cards render within 100 ms: a
 * re-read of the board renders only the cards whose record has another version.
 */
export const Card = memo(function Card({ workOrder, customer, crew, suggestion }: CardProps) {
  const { canDispatch } = useBoard();
  const {
    id,
    job_number: number,
    service_type: service,
    pickup_location: pickup,
    dropoff_location: dropoff,
    step,
  } = workOrder;
  return (
    <li className="dispatch-slot">
      <article
        className="dispatch-card"
        aria-label={number}
        draggable={canDispatch && workOrder.status !== 'completed'}
        onDragStart={(event) => startDrag(event, workOrder)}
        onDragEnd={endDrag}
      >
        <div className="dispatch-row">
          <CardLink id={id} number={number} />
          <Age workOrder={workOrder} />
        </div>
        <div>
          <strong>{humanize(service)}</strong>
          {customer && <span className="dispatch-dim"> · {customer}</span>}
        </div>
        <div className="dispatch-dim">
          {pickup ?? 'Pickup not known'}
          {dropoff && ` → ${dropoff}`}
        </div>
        {crew && (
          <div>
            {crew}
            {step && <span className="dispatch-dim"> · {humanize(step)}</span>}
          </div>
        )}
        <Conflict workOrderId={id} />
        <CardActions workOrder={workOrder} />
        {suggestion && <SuggestionOffer suggestion={suggestion} />}
      </article>
    </li>
  );
}, isSame);

function isSame(before: CardProps, after: CardProps): boolean {
  return (
    before.workOrder.updated_at === after.workOrder.updated_at &&
    before.workOrder.status === after.workOrder.status &&
    before.customer === after.customer &&
    before.crew === after.crew &&
    before.suggestion?.updated_at === after.suggestion?.updated_at &&
    before.suggestion?.id === after.suggestion?.id
  );
}

/**
 * A plain link instead of the router's. With 200 cards, the router would render 200 links again at
 * every change of the URL.
 */
function CardLink({ id, number }: { id: string; number: string }) {
  const { open, hrefOf } = useBoard();
  const ref = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    // The focus was on the card in the old column, which is gone. Leave the focus alone if the
    // person has moved it meanwhile.
    if (takeMove(id) && document.activeElement === document.body) ref.current?.focus();
  }, [id]);
  const follow = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return;
    event.preventDefault();
    open(id);
  };
  return (
    <a ref={ref} className="dispatch-number" href={hrefOf(id)} onClick={follow} draggable={false}>
      {number}
    </a>
  );
}
