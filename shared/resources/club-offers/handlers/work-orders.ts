import type { Config } from '../../../config/config.js';
import type { Command, CommandOutcome, EventDraft } from '../../../contracts/command.js';
import type { WorkOrderCreate } from '../../../contracts/generated.js';
import { newId } from '../../../platform/ids.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { assignWorkOrder, cancelWorkOrder, createWorkOrder } from '../../work-orders/commands.js';
import { createWorkOrders } from '../../work-orders/handlers.js';
import { createMoveHandler } from '../../work-orders/move-handler.js';
import type { OfferRow } from './offer-row.js';

/** An accepted offer, with the id of the work order to create. */
export interface BookedOffer {
  command: Command;
  offer: OfferRow & { work_order_id: string };
  truckId: string | null;
}

type Done = Extract<CommandOutcome, { ok: true }>;
/** What an outcome gets because its command wrote a work order too. */
type WorkOrderWrites = Required<Pick<Done, 'events' | 'ranCommands' | 'prompts'>>;

/** Builds a command on a work order, which runs inside a command on an offer. */
function buildInner<Input>(
  { command, definition }: { command: Command; definition: { type: string } },
  { entityId, input }: { entityId: string; input: Input },
): Command<Input> {
  return {
    ...command,
    id: newId(),
    type: definition.type,
    entityId,
    input,
    idempotency: null,
    ifMatch: null,
  };
}

/**
 * Creates the work orders of accepted offers, and dispatches those with a truck.
 * @returns a function that returns the events and audited commands by the command on the offer
 */
export async function bookWorkOrders(
  tx: Transaction,
  booked: readonly BookedOffer[],
  config: Config,
): Promise<(command: Command) => WorkOrderWrites> {
  const created = booked.map(({ command, offer }) =>
    buildInner(
      { command, definition: createWorkOrder },
      { entityId: offer.work_order_id, input: toWorkOrder(offer) },
    ),
  );
  const dispatched = booked.flatMap(({ command, offer, truckId }) =>
    truckId === null
      ? []
      : [
          {
            command,
            inner: buildInner(
              { command, definition: assignWorkOrder },
              { entityId: offer.work_order_id, input: { truck_id: truckId, eta: offer.eta } },
            ),
          },
        ],
  );
  const writes = new Map<string, WorkOrderWrites>();
  const creations = created.length > 0 ? await createWorkOrders(tx, created) : [];
  for (const [index, { command, offer }] of booked.entries()) {
    writes.set(command.id, {
      events: [{ type: 'club_offer.accepted', clubId: offer.club_id }],
      ranCommands: [],
      prompts: [],
    });
    addWrites(writes, command, {
      inner: created[index] as Command,
      outcome: creations[index] as CommandOutcome,
    });
  }
  const assignments =
    dispatched.length > 0
      ? await createMoveHandler('assign')(
          tx,
          dispatched.map(({ inner }) => inner),
          config,
        )
      : [];
  for (const [index, { command, inner }] of dispatched.entries())
    addWrites(writes, command, { inner, outcome: assignments[index] as CommandOutcome });
  return (command) => writes.get(command.id) as WorkOrderWrites;
}

/**
 * Adds what the inner command wrote. It was checked before, so a failure is a defect, and the whole
 * transaction must not be committed.
 */
function addWrites(
  writes: Map<string, WorkOrderWrites>,
  command: Command,
  { inner, outcome }: { inner: Command; outcome: CommandOutcome },
): void {
  if (!outcome.ok) throw new Error(`${inner.type} of a club's offer failed: ${outcome.error.message}`);
  const { events, ranCommands, prompts } = writes.get(command.id) as WorkOrderWrites;
  events.push(...outcome.events.map((event) => aboutWorkOrder(event, inner)));
  ranCommands.push({ command: inner, changes: outcome.changes });
  prompts.push(...(outcome.prompts ?? []));
}

function aboutWorkOrder(event: EventDraft, { entityId }: Command): EventDraft {
  return { entity: { type: 'work_order', id: entityId }, ...event };
}

/** Returns the work order that an accepted offer becomes. Its notes name the offer for billing. */
function toWorkOrder(offer: OfferRow): WorkOrderCreate {
  const { club, reference, po_number, offered_cents, notes } = offer;
  const facts = [
    `${club}, offer ${reference}`,
    ...(po_number === null ? [] : [`PO ${po_number}`]),
    ...(offered_cents === null ? [] : [`pays $${(offered_cents / 100).toFixed(2)}`]),
  ];
  return {
    service_type: offer.service_type,
    customer_id: offer.customer_id,
    pickup_location: offer.pickup_location,
    dropoff_location: offer.dropoff_location,
    pickup: { lat: offer.pickup_lat, lng: offer.pickup_lng },
    vehicle: { make: offer.vehicle_make, model: offer.vehicle_model, year: offer.vehicle_year },
    vin: offer.vin,
    contact_name: offer.contact_name,
    contact_phone: offer.contact_phone,
    notes: [facts.join(', '), ...(notes === null ? [] : [notes])].join('\n'),
  };
}

/** A work order that a club takes back, with the reason and the actor's command. */
export interface CancelledWork {
  command: Command;
  workOrderId: string;
  reason: 'club' | 'goa' | 'unsuccessful';
  note: string | null;
}

/** Cancels work orders whose offers the club took back. Those that have ended keep their status. */
export async function cancelWorkOrders(
  tx: Transaction,
  cancelled: readonly CancelledWork[],
  config: Config,
): Promise<Map<string, Pick<WorkOrderWrites, 'ranCommands' | 'prompts'>>> {
  const inner = cancelled.map(({ command, workOrderId, reason, note }) =>
    buildInner({ command, definition: cancelWorkOrder }, { entityId: workOrderId, input: { reason, note } }),
  );
  const outcomes = inner.length > 0 ? await createMoveHandler('cancel')(tx, inner, config) : [];
  return new Map(
    outcomes.map((outcome, index) => {
      const { command } = cancelled[index] as CancelledWork;
      if (!outcome.ok)
        throw new Error(`work_order.cancel of a club's offer failed: ${outcome.error.message}`);
      const ran = { command: inner[index] as Command, changes: outcome.changes };
      return [command.id, { ranCommands: [ran], prompts: outcome.prompts ?? [] }];
    }),
  );
}
