import type { Command, CommandOutcome } from '../../../contracts/command.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { AccountQuota, type AccountQuotaRule } from '../../../records/account-quota.js';
import { diffNewRecord } from '../../../records/changes.js';
import { failedOutcome } from '../../../records/outcomes.js';
import { type RecordRef, recordsetSql, toRecordRef } from '../../../records/record-refs.js';
import { insertClubOffers } from '../../open-club-offers/store.js';
import { toColumns } from '../../work-orders/handlers.js';
import type { NewClubOffer } from '../commands.js';
import {
  DEFAULT_RESPONSE_SECONDS,
  MAX_OFFERS_PER_HOUR,
  MAX_WAITING_OFFERS,
  RESPONSE_SECONDS,
} from '../limits.js';
import { readClock } from './offer-row.js';

type CreateCommand = Command<NewClubOffer>;

const WAITING_QUOTA: AccountQuotaRule = {
  table: 'club_offers',
  countedRows: "t.status = 'received'",
  maxRecords: MAX_WAITING_OFFERS.perAccount,
  refusalMessage: `${MAX_WAITING_OFFERS.perAccount} offers wait at this company already. Offer the job again later.`,
};

/** Offers of one club: those that wait for an answer, and those of the last hour. */
interface OfferCounts {
  waiting: number;
  lastHour: number;
}

/** What an account holds of clubs: the counts by club, and references that were used before. */
interface ClubFacts {
  counts: Map<string, OfferCounts>;
  /** Maps a club and reference to the id of the offer. */
  offered: Map<string, string>;
}

const clubKey = (tenantId: string, clubId: string) => `${tenantId}/${clubId}`;
const referenceKey = ({ tenantId, input: { club_id, reference } }: CreateCommand) =>
  `${clubKey(tenantId, club_id)}/${reference}`;

/** Stores offers of clubs. The account has until `respond_by` to answer. */
export async function createClubOffers(
  tx: Transaction,
  commands: CreateCommand[],
): Promise<CommandOutcome[]> {
  // The quota locks the account, so no other transaction adds offers before this one ends.
  const quota = await AccountQuota.load(tx, commands, WAITING_QUOTA);
  const [facts, now] = await Promise.all([readClubFacts(tx, commands), readClock(tx)]);
  const rows: (RecordRef & Record<string, unknown>)[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const respondBy = resolveRespondBy(command.input, now);
    const refusal =
      checkRespondBy(respondBy, now) ?? refuseByClub(command, facts) ?? quota.reserve(command.tenantId);
    if (refusal) return refusal;
    countOffer(command, facts);
    const { club_id, club, ...offer } = command.input;
    const respond_by = respondBy.toISOString();
    rows.push({ ...toColumns(offer), ...toRecordRef(command), club_id, club, respond_by });
    return {
      ok: true,
      changes: diffNewRecord({ ...offer, club, respond_by }),
      events: [{ type: 'club_offer.created', clubId: club_id }],
    };
  });
  await insertClubOffers(tx, rows);
  return outcomes;
}

function resolveRespondBy({ respond_by }: NewClubOffer, now: Date): Date {
  return respond_by === undefined
    ? new Date(now.getTime() + DEFAULT_RESPONSE_SECONDS * 1000)
    : new Date(respond_by);
}

function checkRespondBy(respondBy: Date, now: Date): CommandOutcome | undefined {
  const seconds = (respondBy.getTime() - now.getTime()) / 1000;
  if (seconds >= RESPONSE_SECONDS.min && seconds <= RESPONSE_SECONDS.max) return undefined;
  const message = `respond_by must be ${RESPONSE_SECONDS.min} to ${RESPONSE_SECONDS.max} seconds after now, which is ${now.toISOString()}`;
  return failedOutcome({
    code: 'validation_error',
    message: `${message}.`,
    details: [{ field: 'respond_by', code: 'out_of_range', message }],
  });
}

function refuseByClub(command: CreateCommand, { counts, offered }: ClubFacts): CommandOutcome | undefined {
  const earlier = offered.get(referenceKey(command));
  if (earlier !== undefined) {
    const message = `reference ${command.input.reference} was offered before`;
    return failedOutcome({
      code: 'conflict',
      message: `${message}. GET /club-offers/${earlier} shows that offer.`,
      details: [{ field: 'reference', code: 'taken', message, club_offer_id: earlier }],
    });
  }
  const { waiting, lastHour } = findCounts(command, counts);
  if (waiting >= MAX_WAITING_OFFERS.perClub)
    return failedOutcome({
      code: 'conflict',
      message: `${waiting} of your offers wait for an answer, which is the most. Offer the job again when one was answered or has expired.`,
    });
  if (lastHour < MAX_OFFERS_PER_HOUR) return undefined;
  return failedOutcome({
    code: 'conflict',
    message: `You have made ${lastHour} offers within an hour, which is the most. Offer the job again later.`,
  });
}

function findCounts({ tenantId, input }: CreateCommand, counts: ClubFacts['counts']): OfferCounts {
  return counts.get(clubKey(tenantId, input.club_id)) ?? { waiting: 0, lastHour: 0 };
}

function countOffer(command: CreateCommand, { counts, offered }: ClubFacts): void {
  const { waiting, lastHour } = findCounts(command, counts);
  const key = clubKey(command.tenantId, command.input.club_id);
  counts.set(key, { waiting: waiting + 1, lastHour: lastHour + 1 });
  offered.set(referenceKey(command), command.entityId);
}

async function readClubFacts(tx: Transaction, commands: readonly CreateCommand[]): Promise<ClubFacts> {
  const clubs = commands.map(({ tenantId: tenant_id, input: { club_id, reference } }) => ({
    tenant_id,
    club_id,
    reference,
  }));
  const values = [JSON.stringify(clubs)];
  const [counts, offers] = await Promise.all([
    tx.query<{ tenant_id: string; club_id: string } & OfferCounts>({
      name: 'count-club-offers',
      text: `select r.tenant_id, r.club_id, (select count(*)::int from club_offers o
               where o.tenant_id = r.tenant_id and o.club_id = r.club_id and o.status = 'received') as waiting,
             (select count(*)::int from club_offers o where o.tenant_id = r.tenant_id and o.club_id = r.club_id
               and o.created_at > now() - interval '1 hour') as "lastHour"
             from (select distinct tenant_id, club_id from ${recordsetSql('tenant_id uuid, club_id uuid')}) r`,
      values,
    }),
    tx.query<{ tenant_id: string; club_id: string; reference: string; id: string }>({
      name: 'find-club-references',
      text: `select o.tenant_id, o.club_id, o.reference, o.id from ${recordsetSql('tenant_id uuid, club_id uuid, reference text')}
             join club_offers o on o.tenant_id = r.tenant_id and o.club_id = r.club_id and o.reference = r.reference`,
      values,
    }),
  ]);
  return {
    counts: new Map(counts.map((row) => [clubKey(row.tenant_id, row.club_id), row])),
    offered: new Map(
      offers.map((row) => [`${clubKey(row.tenant_id, row.club_id)}/${row.reference}`, row.id]),
    ),
  };
}
