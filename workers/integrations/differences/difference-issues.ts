import { newId } from '../../../shared/platform/ids.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import {
  closeSyncDifference,
  recordSyncDifference,
  type SyncDifferenceOpening,
} from '../../../shared/resources/sync-issues/commands.js';
import { countOpenDifferences, type KnownDifference } from '../../../shared/sync/difference-rows.js';
import type { Step, StepCommand } from '../vendor/step.js';

/** A difference as a sync issue shows it. */
export type DescribedDifference = Omit<SyncDifferenceOpening, 'connection_id'>;

/**
 * Maximum number of open differences of one connection. Further differences are opened once a
 * person has decided some of these.
 */
const MAX_OPEN_DIFFERENCES = 200;

/** The result of comparing the records of one page with the stored records. */
export interface JudgedPage {
  /** The differences that are new, or whose two sides have changed since they were last shown. */
  news: DescribedDifference[];
  /** The open differences of the page's records, as they are stored. */
  open: KnownDifference[];
  /** The stored differences that no longer exist, because both sides agree again. */
  gone: KnownDifference[];
}

/** The result of a comparison. */
export interface Compared {
  commands: StepCommand[];
  /**
   * The vendor's ids of the records that differ, but for which there is no room yet. They must be
   * compared again later.
   */
  left: string[];
}

/**
 * Opens an issue for each new difference. Closes the issues of differences that no longer exist.
 */
export async function buildIssues(
  tx: Transaction,
  { connection }: Step,
  { news, open, gone }: JudgedPage,
): Promise<Compared> {
  let free = news.length > 0 ? MAX_OPEN_DIFFERENCES - (await countOpenDifferences(tx, connection)) : 0;
  const left: string[] = [];
  const openings = news.flatMap((difference): StepCommand[] => {
    const before = open.find(({ external_id }) => external_id === difference.external_id);
    if (!before && free-- <= 0) {
      left.push(difference.external_id);
      return [];
    }
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
  return { commands: [...openings, ...closings], left };
}
