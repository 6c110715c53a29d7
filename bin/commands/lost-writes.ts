import {
  LIST_LOST_WRITES,
  type LostWrite,
  resolveLostWrites,
} from '../../shared/operations/lost-writes/lost-write-rows.js';
import type { Database } from '../../shared/platform/postgres/database.js';
import type { RunCommand } from '../cli/command.js';
import { renderTable } from '../cli/output.js';
import { readAcrossTenants } from '../cli/store.js';

/** Lists the lost writes that are not resolved, those that were acknowledged first at the top. */
export async function readLostWrites(db: Database): Promise<LostWrite[]> {
  const items = await readAcrossTenants<LostWrite>(db, LIST_LOST_WRITES);
  return items.sort((a, b) => a.acknowledged_at.getTime() - b.acknowledged_at.getTime());
}

/** `tow lost-writes list`: lists acknowledged writes that the promotion of a standby has lost. */
export const listLostWrites: RunCommand = async (_args, { store }) => {
  const { db } = await store();
  const items = await readLostWrites(db);
  return {
    data: { items, count: items.length },
    text: renderTable(items, ['tenant_id', 'type', 'record_id', 'command_id', 'acknowledged_at', 'found_at']),
  };
};

/** `tow lost-writes resolve`: ends the failure of `tow doctor` after the writes were made again. */
export const resolveAllLostWrites: RunCommand = async (_args, { store }) => {
  const { db } = await store();
  const items = await readLostWrites(db);
  for (const tenantId of new Set(items.map(({ tenant_id }) => tenant_id)))
    await resolveLostWrites(db, tenantId);
  return { data: { resolved: items.length }, text: `${items.length} lost writes are resolved.` };
};
