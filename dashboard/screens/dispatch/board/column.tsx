import { type ReactNode, useId, useMemo, useState } from 'react';
import type { WorkOrder } from '../../../api/records';
import { useTimeZone } from '../../../api/session';
import { nameTruck } from '../../../parts/choices/name-truck';
import { useUrlSearch } from '../../../parts/url/use-url';
import { UNTOUCHED, useCardStates } from '../writes/card-store';
import { describeAge, useNow } from './age';
import type { Arrival } from './arrivals';
import type { BoardTruck } from './board-truck';
import { type ColumnName, type Suggestion, useBoard } from './board-view';
import { Card } from './card';
import { dropOnColumn, takeCards } from './drag';

/**
 * Number of cards that a column renders at first. A button shows more, so that even 5,000 cards
 * stay usable.
 */
const CARDS_SHOWN = 100;

const UNKNOWN_ARRIVAL = { at: null, proposed: null };

export interface CardFacts {
  customers: ReadonlyMap<string, string>;
  suggestions: ReadonlyMap<string, Suggestion>;
  arrivals: ReadonlyMap<string, Arrival>;
}

/**
 * One column of the board: a region with a heading, the number of its work orders, and their cards.
 */
export function Column({
  name,
  workOrders,
  count,
  empty,
  facts,
  footer,
}: {
  name: ColumnName;
  workOrders: readonly WorkOrder[];
  /** The number of work orders in the column, such as "12", or "200+" if there may be more. */
  count: string;
  empty: string;
  facts: CardFacts;
  footer?: ReactNode;
}) {
  const board = useBoard();
  const { search } = useUrlSearch();
  const headingId = useId();
  const [limit, setLimit] = useState(CARDS_SHOWN);
  const now = useNow();
  const states = useCardStates();
  const clock = useClock();
  const describeArrival = (arrival: Arrival | undefined) => {
    const { at, proposed } = arrival && now < arrival.untilMs ? arrival : UNKNOWN_ARRIVAL;
    return { arrival: at && clock(at), proposed };
  };
  const rest = workOrders.length - limit;
  return (
    <section
      className="dispatch-column"
      aria-labelledby={headingId}
      {...takeCards((workOrder) => dropOnColumn(board, workOrder, name))}
    >
      <div className="dispatch-row">
        <h2 id={headingId}>{name}</h2>
        <span className="digits dispatch-count">{count}</span>
      </div>
      {workOrders.length === 0 && (
        <p className="dispatch-dim">{search ? 'Nothing here matches the search.' : empty}</p>
      )}
      <ul className="dispatch-cards" aria-labelledby={headingId}>
        {workOrders.slice(0, limit).map((workOrder) => (
          <Card
            key={workOrder.id}
            workOrder={workOrder}
            customer={facts.customers.get(workOrder.customer_id ?? '') || workOrder.contact_name}
            crew={describeCrew(workOrder, board.trucks)}
            {...describeArrival(facts.arrivals.get(workOrder.id))}
            suggestion={facts.suggestions.get(workOrder.id)}
            age={describeAge(workOrder, now)}
            state={states.get(workOrder.id) ?? UNTOUCHED}
          />
        ))}
      </ul>
      {rest > 0 && (
        <button type="button" className="dispatch-button" onClick={() => setLimit(limit + CARDS_SHOWN)}>
          Show more ({rest.toLocaleString('en-US')} left)
        </button>
      )}
      {footer}
    </section>
  );
}

/** Returns a function that formats an instant in the account's time zone: "2:25 PM". */
function useClock(): (at: string) => string {
  const timeZone = useTimeZone();
  return useMemo(() => {
    const format = new Intl.DateTimeFormat('en-US', { timeZone, hour: 'numeric', minute: '2-digit' });
    return (at) => format.format(new Date(at));
  }, [timeZone]);
}

function describeCrew(
  { truck_id: id, driver_id: driverId }: WorkOrder,
  trucks: ReadonlyMap<string, BoardTruck>,
): string | null {
  const truck = trucks.get(id ?? '');
  if (!truck) return null;
  const isDriven = truck.driver !== null && truck.driver.id === driverId;
  return isDriven ? `${nameTruck(truck)}, ${truck.driver?.name}` : nameTruck(truck);
}
