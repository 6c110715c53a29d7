import type { Config } from '../../../config/config.js';
import type { Change, Command, CommandOutcome, EventDraft } from '../../../contracts/command.js';
import type { ClubOfferAccept, ClubOfferRefuse } from '../../../contracts/generated.js';
import { newId } from '../../../platform/ids.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { notFoundOutcome } from '../../../records/outcomes.js';
import { recordsetSql, refKey, toRecordRef } from '../../../records/record-refs.js';
import { refuseUnknownReferences } from '../../../records/references.js';
import { customerTable } from '../../customers/table.js';
import { storeClubOffers } from '../../open-club-offers/store.js';
import { type LockedFleet, lockFleet } from '../../work-orders/assignment.js';
import type { WorkOrderRow } from '../../work-orders/work-order-row.js';
import { canMoveOffer } from '../transitions.js';
import { refuseEndedClubs } from './ended-clubs.js';
import {
  failIllegalOfferMove,
  failLateAnswer,
  isPastAnswering,
  type LockedOffers,
  lockOffers,
  OFFER_LABEL,
  type OfferRow,
} from './offer-row.js';
import { type BookedOffer, bookWorkOrders } from './work-orders.js';

type AcceptCommand = Command<ClubOfferAccept>;
type RefuseCommand = Command<ClubOfferRefuse>;

/**
 * Returns the offer that a command answers, or the error if it cannot be answered: another person
 * was faster, the club withdrew it, or the time has passed.
 */
function findAnswerable(
  { rows, now }: LockedOffers,
  command: Command,
  to: 'accepted' | 'refused',
): OfferRow | CommandOutcome {
  const row = rows.get(refKey(toRecordRef(command)));
  if (!row) return notFoundOutcome(OFFER_LABEL);
  if (!canMoveOffer(row.status, to, 'account')) return failIllegalOfferMove(row, to);
  return isPastAnswering(row, now) ? failLateAnswer(row) : row;
}

/**
 * Accepts offers. Each becomes a work order, and is dispatched if the command names a truck. Locks
 * the trucks only of offers that can be accepted. The transaction of an assignment locks the truck
 * and then an accepted offer, so locking a truck for such an offer could deadlock.
 */
export async function acceptClubOffers(
  tx: Transaction,
  commands: AcceptCommand[],
  config: Config,
): Promise<CommandOutcome[]> {
  const offers = await lockOffers(tx, commands);
  const found = commands.map((command) => findAnswerable(offers, command, 'accepted'));
  const dispatching = commands.filter(({ input }, index) => input.truck_id && isOffer(found[index]));
  const [fleet, refused, customers] = await Promise.all([
    lockFleet(tx, dispatching.map(toAssignment)),
    refuseUnknownReferences(tx, commands, { customer_id: customerTable }),
    findUsualCustomers(tx, [...offers.rows.values()]),
  ]);
  const refuseEnded = await refuseEndedClubs(tx, [...offers.rows.values()]);
  const booked: BookedOffer[] = [];
  const plans = commands.map((command, index): BookedOffer | CommandOutcome => {
    const row = found[index] as OfferRow | CommandOutcome;
    if (!isOffer(row)) return row;
    const refusal = refuseEnded(row) ?? refused.get(command) ?? refuseTruck(fleet, command);
    if (refusal) return refusal;
    const usual = customers.get(`${row.tenant_id}/${row.club_id}`) ?? null;
    const offer = { ...row, ...planAcceptance(command, offers.now), work_order_id: newId() };
    offer.customer_id = command.input.customer_id ?? usual;
    booked.push({ command, offer, truckId: command.input.truck_id ?? null });
    return booked.at(-1) as BookedOffer;
  });
  await storeClubOffers(
    tx,
    booked.map(({ offer }) => offer),
  );
  const work = await bookWorkOrders(tx, booked, config);
  return plans.map((plan): CommandOutcome => {
    if ('ok' in plan) return plan;
    const { command, offer } = plan;
    const { eta, customer_id, work_order_id } = offer;
    return {
      ok: true,
      changes: describeMove('accepted', { eta, customer_id, work_order_id }),
      ...work(command),
    };
  });
}

function isOffer(found: OfferRow | CommandOutcome | undefined): found is OfferRow {
  return found !== undefined && !('ok' in found);
}

function planAcceptance({ input }: AcceptCommand, now: Date) {
  return {
    status: 'accepted' as const,
    answered_at: now.toISOString(),
    eta: new Date(now.getTime() + input.eta_minutes * 60_000).toISOString(),
    progress: input.truck_id ? ('dispatched' as const) : ('waiting' as const),
  };
}

const toAssignment = (command: AcceptCommand) => ({
  ...command,
  input: { truck_id: command.input.truck_id as string },
});

/**
 * Returns the error if the truck cannot be dispatched. Checked before the work order exists,
 * because a failed command must change nothing.
 */
function refuseTruck(fleet: LockedFleet, command: AcceptCommand): CommandOutcome | undefined {
  if (!command.input.truck_id) return undefined;
  const job = { ...toRecordRef(command), job_number: '', truck_id: null } as unknown as WorkOrderRow;
  const pick = fleet.assign(job, toAssignment(command));
  return 'ok' in pick ? pick : undefined;
}

/** Refuses offers with a reason that the club reads. */
export async function refuseClubOffers(
  tx: Transaction,
  commands: RefuseCommand[],
): Promise<CommandOutcome[]> {
  const offers = await lockOffers(tx, commands);
  const moved: OfferRow[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const row = findAnswerable(offers, command, 'refused');
    if ('ok' in row) return row as CommandOutcome;
    const answer = { refusal_reason: command.input.reason, refusal_note: command.input.note ?? null };
    moved.push({ ...row, ...answer, status: 'refused', answered_at: offers.now.toISOString() });
    const events: EventDraft[] = [{ type: 'club_offer.refused', clubId: row.club_id }];
    return { ok: true, changes: describeMove('refused', answer), events };
  });
  await storeClubOffers(tx, moved);
  return outcomes;
}

function describeMove(to: string, fields: object): Change[] {
  const status = { field: 'status', from: 'received', to };
  return [status, ...Object.entries(fields).map(([field, value]) => ({ field, from: null, to: value }))];
}

/** Finds who was billed for the last accepted offer of each club. The key is tenant and club. */
export async function findUsualCustomers(
  tx: Transaction,
  offers: readonly Pick<OfferRow, 'tenant_id' | 'club_id'>[],
): Promise<Map<string, string>> {
  const rows = await tx.query<{ tenant_id: string; club_id: string; customer_id: string }>({
    name: 'find-customers-of-clubs',
    text: `select r.tenant_id, r.club_id, c.customer_id
           from (select distinct tenant_id, club_id from ${recordsetSql('tenant_id uuid, club_id uuid')}) r
           cross join lateral (
             select o.customer_id from club_offers o
             where o.tenant_id = r.tenant_id and o.club_id = r.club_id and o.customer_id is not null
             order by o.created_at desc, o.id desc limit 1) c`,
    values: [JSON.stringify(offers.map(({ tenant_id, club_id }) => ({ tenant_id, club_id })))],
  });
  return new Map(rows.map((row) => [`${row.tenant_id}/${row.club_id}`, row.customer_id]));
}
