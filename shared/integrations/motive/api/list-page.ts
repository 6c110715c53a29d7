import type { OpenConnection } from '../../contract/connection.js';
import type { ListPage } from '../../contract/telematics.js';
import type { Unread } from '../../contract/values/read-values.js';
import { VendorError } from '../../contract/vendor-error.js';
import { readPage, type WrappedList } from './client.js';

/** Reads one page of a list whose missing records count as removed. */
export async function readListPage<Raw, Listed>(
  connection: OpenConnection,
  {
    list,
    next,
    toRecord,
  }: { list: WrappedList; next: string | null; toRecord: (raw: Unread<Raw>) => Listed[] },
): Promise<ListPage<Listed>> {
  const page = await readPage<Raw>(connection, list, Number(next ?? 1));
  // Records that a complete list lacks count as removed, so this list is not complete.
  if (page.isShort)
    throw new VendorError(`Motive returned fewer ${list.list} than it counts.`, {
      kind: 'again',
      code: 'short_list',
    });
  return { records: page.rows.flatMap(toRecord), next: page.next === null ? null : String(page.next) };
}
