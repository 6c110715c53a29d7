import type { OpenConnection } from '../contract/connection.js';
import type { ListedDriver, ListPage } from '../contract/telematics.js';
import { readId, readLine, type Unread } from '../contract/values/read-values.js';
import { readListPage } from './api/list-page.js';

interface SamsaraDriver {
  id: string;
  name?: string;
  phone?: string;
}

/** Lists the active drivers: Samsara leaves out the deactivated ones. */
export function listDrivers(
  connection: OpenConnection,
  next: string | null,
): Promise<ListPage<ListedDriver>> {
  return readListPage(connection, { path: '/fleet/drivers', next, toRecord: toDriver });
}

/** Returns no driver without a usable id. */
function toDriver({ id, name, phone }: Unread<SamsaraDriver>): ListedDriver[] {
  const externalId = readId(id);
  if (externalId === undefined) return [];
  return [{ externalId, name: readLine(name, 200), phone: readLine(phone, 32) }];
}
