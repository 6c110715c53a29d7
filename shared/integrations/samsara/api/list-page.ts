import type { OpenConnection } from '../../contract/connection.js';
import type { ListPage } from '../../contract/telematics.js';
import type { Unread } from '../../contract/values/read-values.js';
import { VendorError } from '../../contract/vendor-error.js';
import { readPageAfter } from './client.js';

/** The largest page that Samsara returns. */
const PAGE_SIZE = '512';

/** Reads one page of a list whose missing records count as removed. */
export async function readListPage<Raw, Listed>(
  connection: OpenConnection,
  { path, next, toRecord }: { path: string; next: string | null; toRecord: (raw: Unread<Raw>) => Listed[] },
): Promise<ListPage<Listed>> {
  const query = { limit: PAGE_SIZE };
  const page = await readPageAfter<Raw>(connection, path, { query, after: next });
  // Records that a complete list lacks count as removed, so this list is not complete.
  if (page.hasStopped)
    throw new VendorError('Samsara named the same page again.', { kind: 'again', code: 'same_page' });
  // A page may be empty although another page follows.
  return { records: page.data.flatMap(toRecord), next: page.isLast ? null : page.cursor };
}
