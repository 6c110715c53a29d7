import type { Change } from '../../../shared/integrations/contract/connection.js';
import { newId } from '../../../shared/platform/ids.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import { closeSyncDifference, recordSyncDifference } from '../../../shared/resources/sync-issues/commands.js';
import {
  countOpenDifferences,
  findDifferences,
  type KnownDifference,
} from '../../../shared/sync/difference-rows.js';
import type { Step, StepCommand } from '../vendor/step.js';
import { compareRecord, type DescribedDifference, describeDifference } from './compare.js';
import { findOurRecords } from './our-records.js';
import { type ComparedPage, listExternalIds } from './phases.js';

/** The differences of one connection that wait for a person. Further ones are opened later. */
const MAX_OPEN_DIFFERENCES = 200;

/** What differs on a page. */
export interface JudgedPage {
  /** The differences that nobody was shown yet, with these sides. */
  news: DescribedDifference[];
  /** The differences of the page's records that are open. */
  open: KnownDifference[];
  /** The open differences that have gone. */
  gone: KnownDifference[];
}

/**
 * Compares the records of a page.
 * @param fresh the records that commands change now, by the vendor's ids; they are compared later
 */
export async function findPageDifferences(
  tx: Transaction,
  { connection, vendor }: Step,
  { page, fresh }: { page: ComparedPage; fresh: ReadonlySet<string> },
): Promise<JudgedPage> {
  const { kind, changes } = page;
  const externalIds = listExternalIds(page).filter((id) => !fresh.has(id));
  const byId = new Map<string, Change<unknown>>(changes.map((change) => [change.externalId, change]));
  const ours = await findOurRecords(tx, connection, { kind, externalIds });
  const known = await findDifferences(tx, connection, { kind, externalIds });
  const described = externalIds.flatMap((id) => {
    const difference = compareRecord(kind, id, { change: byId.get(id), ours: ours.get(id) });
    return difference ? [describeDifference(difference, vendor.manifest.label)] : [];
  });
  const differing = new Set(described.map(({ external_id }) => external_id));
  const isKnown = ({ external_id, digest }: DescribedDifference) =>
    known.some((one) => one.external_id === external_id && one.digest === digest);
  const open = known.filter(({ is_open }) => is_open);
  return {
    news: described.filter((one) => !isKnown(one)),
    open,
    gone: open.filter(({ external_id }) => !differing.has(external_id)),
  };
}

/** Opens an issue for each new difference, and closes the issues of those that have gone. */
export async function buildIssues(
  tx: Transaction,
  { connection }: Step,
  { news, open, gone }: JudgedPage,
): Promise<StepCommand[]> {
  let free = news.length > 0 ? MAX_OPEN_DIFFERENCES - (await countOpenDifferences(tx, connection)) : 0;
  const openings = news.flatMap((difference): StepCommand[] => {
    const before = open.find(({ external_id }) => external_id === difference.external_id);
    if (!before && free-- <= 0) return [];
    return [
      {
        type: recordSyncDifference.type,
        entityId: before?.id ?? newId(),
        input: { connection_id: connection.connectionId, ...difference },
      },
    ];
  });
  const closings = gone.map(({ id: entityId }) => ({
    type: closeSyncDifference.type,
    entityId,
    input: { note: 'Both sides agree again.' },
  }));
  return [...openings, ...closings];
}
