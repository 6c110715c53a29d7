import type { Change } from '../../../shared/integrations/contract/connection.js';
import { findUnseenDifferences } from '../../../shared/sync/difference-rows.js';
import { findGivenUpNotices } from '../../../shared/sync/notice-rows.js';
import { findRecordKind } from '../kinds/record-kinds.js';
import { getPayments } from '../records/pay-links.js';
import type { Step } from '../vendor/step.js';
import {
  COMPARED_KINDS,
  type ComparedKind,
  type ComparisonPlace,
  findUncomparedRecords,
} from './our-records.js';

/** The external ids of records to read, each with the key after which the next page begins. */
type Names = { key: string; externalId: string }[];

/** A page of records with their current state at the vendor. */
export interface ComparedPage {
  kind: ComparedKind;
  changes: Change<unknown>[];
  /** The external ids of stored records that the vendor does not know. */
  missing: string[];
  /** Null on the last page of the phase. */
  next: string | null;
}

export function listExternalIds({ changes, missing }: ComparedPage): string[] {
  return [...changes.map(({ externalId }) => externalId), ...missing];
}

type Phase = (step: Step, place: Omit<ComparisonPlace, 'limit'>) => Promise<ComparedPage>;

/** Each record costs a call to the vendor, so a page is small. */
const NAMES_PER_PAGE = 50;

/** Builds a phase that lists the vendor's records of the compared period. */
const listed =
  (kind: ComparedKind): Phase =>
  async (step, { since, after }) => {
    const { charges, refunds, disputes } = getPayments(step);
    const readings = { payment: charges, refund: refunds, dispute: disputes }[kind];
    const { changes, next } = await readings.listSince(await step.open(), { since, after });
    return { kind, changes, missing: [], next };
  };

/** Builds a phase that reads single records whose ids `find` has found in the database. */
const named =
  (kind: ComparedKind, find: (step: Step, place: ComparisonPlace) => Promise<Names>): Phase =>
  async (step, place) => {
    const names = await find(step, { ...place, limit: NAMES_PER_PAGE });
    const ids = [...new Set(names.map(({ externalId }) => externalId))];
    const changes = ids.length > 0 ? ((await findRecordKind(kind).readNamed?.(step, ids)) ?? []) : [];
    const found = new Set(changes.map(({ externalId }) => externalId));
    return {
      kind,
      changes,
      missing: ids.filter((id) => !found.has(id)),
      next: names.length < NAMES_PER_PAGE ? null : (names.at(-1)?.key ?? null),
    };
  };

const STREAMS: Readonly<Record<ComparedKind, string>> = {
  payment: 'payments',
  refund: 'refunds',
  dispute: 'disputes',
};

/**
 * The phases of one comparison, in this sequence. Payments come first, because refunds and disputes
 * need them. The last phases read the records that the vendor's lists omit: older stored records,
 * refunds and disputes whose payment the worker has never found, and records with an open
 * difference.
 */
export const PHASES: readonly Phase[] = [
  ...COMPARED_KINDS.map(listed),
  ...COMPARED_KINDS.map((kind) =>
    named(kind, ({ db, connection }, place) => findUncomparedRecords(db, connection, kind, place)),
  ),
  ...COMPARED_KINDS.filter((kind) => kind !== 'payment').map((kind) =>
    named(kind, ({ db, connection }, { after, limit }) =>
      findGivenUpNotices(db, connection, { stream: STREAMS[kind], kind, after, limit }),
    ),
  ),
  ...COMPARED_KINDS.map((kind) =>
    named(kind, ({ db, connection }, { startedAt, after, limit }) =>
      findUnseenDifferences(db, connection, { kind, startedAt, after, limit }),
    ),
  ),
];
