import type { OpenConnection } from '../contract/connection.js';
import type { ListedDriver, ListPage } from '../contract/telematics.js';
import { readId, readLine, type Unread } from '../contract/values/read-values.js';
import { readListPage } from './api/list-page.js';

interface MotiveUser {
  id: number;
  role: string;
  status: string;
  first_name?: string | null;
  last_name?: string | null;
  phone?: string | null;
}

export function listDrivers(
  connection: OpenConnection,
  next: string | null,
): Promise<ListPage<ListedDriver>> {
  const list = { path: '/v1/users', list: 'users', item: 'user', query: { role: 'driver' } };
  return readListPage(connection, { list, next, toRecord: toDriver });
}

/** Returns no user without a usable id, none with another role, and none that is deactivated. */
function toDriver({ id, role, status, first_name, last_name, phone }: Unread<MotiveUser>): ListedDriver[] {
  const externalId = readId(id);
  if (externalId === undefined || role !== 'driver' || status === 'deactivated') return [];
  const names = [first_name, last_name].flatMap((name) => readLine(name, 100) ?? []);
  return [{ externalId, name: readLine(names.join(' '), 200), phone: readLine(phone, 32) }];
}
