import type { Change } from '../../../shared/integrations/contract/connection.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import { findDifferences } from '../../../shared/sync/difference-rows.js';
import type { DescribedDifference, JudgedPage } from '../differences/difference-issues.js';
import type { Step } from '../vendor/step.js';
import { compareRecord, describeDifference } from './compare.js';
import { findOurRecords } from './our-records.js';
import { type ComparedPage, listExternalIds } from './phases.js';

/**
 * Compares the records of a page.
 * @param fresh the vendor's ids of records that pending commands change. These records are compared
 *   later
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
