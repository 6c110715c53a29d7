import { type MouseEvent, memo } from 'react';
import type { Schemas, WorkOrder } from '../../../api/records';
import { humanize } from '../../../parts/record/status-badge';
import { type CardState, takeMove } from '../writes/card-store';
import { type AgeFacts, renderAge } from './age';
import { AssignForm } from './assign-form';
import { type Suggestion, useBoard } from './board-view';
import { CardActions } from './card-actions';
import { Conflict } from './conflict';
import { endDrag, startDrag } from './drag';
import { SuggestionOffer } from './suggestion-offer';

interface CardProps {
  workOrder: WorkOrder;
  /** The customer who gets the invoice or, without a customer, the caller. */
  customer: string | null;
  /** Truck and driver. */
  crew: string | null;
  /** The time of the estimated arrival at the pickup. */
  arrival: string | null;
  /** The driver's step that the truck's position shows. */
  proposed: Schemas['DriverStep'] | null;
  suggestion: Suggestion | undefined;
  age: AgeFacts | undefined;
  state: CardState;
}

/**
 * A work order on the board. It uses plain HTML, React's memo and only one hook, so that 200 cards
 * render within 100 ms. When the board is read again, only the cards that changed render.
 */
export const Card = memo(function Card(props: CardProps) {
  const { workOrder, customer, crew, arrival, proposed, suggestion, age, state } = props;
  const { open, hrefOf, canDispatch } = useBoard();
  const {
    id,
    job_number: number,
    service_type: service,
    pickup_location: pickup,
    dropoff_location: dropoff,
    step,
  } = workOrder;
  const follow = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return;
    event.preventDefault();
    open(id);
  };
  return (
    <li className="dispatch-slot">
      <article
        className="dispatch-card"
        aria-label={number}
        data-record={id}
        draggable={canDispatch && workOrder.status !== 'completed'}
        onDragStart={(event) => startDrag(event, workOrder)}
        onDragEnd={endDrag}
      >
        <div className="dispatch-row">
          {/* A plain link: the router would render 200 links again at every change of the URL. */}
          <a ref={takeFocus} className="dispatch-number" href={hrefOf(id)} onClick={follow} draggable={false}>
            {number}
          </a>
          {age && renderAge(age)}
        </div>
        <div>
          <strong>{humanize(service)}</strong>
          {customer && <span className="dispatch-dim">{` · ${customer}`}</span>}
        </div>
        <div className="dispatch-dim">
          {`${pickup ?? 'Pickup not known'}${dropoff ? ` → ${dropoff}` : ''}`}
        </div>
        {crew && (
          <div>
            {crew}
            {step && <span className="dispatch-dim">{` · ${humanize(step)}`}</span>}
          </div>
        )}
        {proposed ? (
          <div className="dispatch-dim">{`Looks ${humanize(proposed).toLowerCase()}`}</div>
        ) : (
          arrival && <div className="dispatch-dim">{`Estimated arrival: about ${arrival}`}</div>
        )}
        {state.problem && <Conflict workOrderId={id} problem={state.problem} truckId={state.truckId} />}
        {workOrder.status === 'pending' ? (
          canDispatch && <AssignForm workOrder={workOrder} state={state} />
        ) : (
          <CardActions workOrder={workOrder} state={state} proposed={proposed} />
        )}
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
    before.arrival === after.arrival &&
    before.proposed === after.proposed &&
    before.state === after.state &&
    before.age?.text === after.age?.text &&
    before.age?.warning === after.age?.warning &&
    before.suggestion?.updated_at === after.suggestion?.updated_at &&
    before.suggestion?.id === after.suggestion?.id
  );
}

/**
 * Focuses the link of a card that a write has moved to this column. The focus was on the card in
 * the old column, which is gone. Does nothing if the person has already focused another element.
 */
function takeFocus(link: HTMLAnchorElement | null): void {
  if (
    link &&
    takeMove(link.closest<HTMLElement>('[data-record]')?.dataset.record ?? '') &&
    document.activeElement === document.body
  )
    link.focus();
}
