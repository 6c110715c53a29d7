import type { Change, OpenConnection, Page, PullStart } from '../../contract/connection.js';
import type { ListedPage, ListStart } from '../../contract/readings.js';
import { VendorError } from '../../contract/vendor-error.js';
import { callStripe } from './client.js';
import { type StripeEvent, toNotice } from './inbound.js';

export interface List<T> {
  data: T[];
  has_more: boolean;
}

/** Small, because each event of a page needs one more request to read its object. */
const PAGE_SIZE = 50;
/**
 * The worker reads responses of at most 4 MB. A payment with its charge and much metadata takes
 * about 60 kB.
 */
const LIST_PAGE_SIZE = 50;
/**
 * Each pull reads from this long before the start of the previous pull, because Stripe's lists lag
 * behind.
 */
const OVERLAP_SECONDS = 120;
/** The first pull of a connection reads the events of the last day. */
const FIRST_PULL_SECONDS = 86_400;

/**
 * The position at which a pull continues. Stripe lists events newest first, so a pull of several
 * pages reads back in time until `since`. The next pull starts at the time when this pull began.
 */
interface Place {
  /** Seconds since 1970. Earlier pulls have read the events up to this time. */
  since: number;
  /** Seconds since 1970: the time when this pull began. Absent between two pulls. */
  startedAt?: number;
  /** Id of the last event of the previous page. The next page starts after this event. */
  after?: string;
}

/**
 * Reads the events since the cursor, then the current state of the objects that they name. Reading
 * events also finds lost webhooks, and objects that changed long after their creation.
 */
export async function pullNamed<State>(
  connection: OpenConnection,
  { cursor, since }: PullStart,
  {
    stream,
    read,
  }: {
    stream: string;
    read: (connection: OpenConnection, hints: readonly string[]) => Promise<Change<State>[]>;
  },
): Promise<Page<State>> {
  const now = Math.floor(Date.now() / 1000);
  const place = findPlace(cursor, since) ?? { since: now - FIRST_PULL_SECONDS };
  const { data, has_more: hasMore } = await callStripe<List<StripeEvent>>(connection, {
    method: 'GET',
    path: '/v1/events',
    form: { limit: PAGE_SIZE, created: { gte: place.since }, starting_after: place.after },
  });
  const notices = data.map(toNotice).filter((notice) => notice.stream === stream);
  const hints = [...new Set(notices.flatMap(({ hint }) => hint ?? []))];
  const changes = hints.length > 0 ? await read(connection, hints) : [];
  const last = data.at(-1);
  const startedAt = place.startedAt ?? now;
  const next: Place =
    hasMore && last ? { ...place, startedAt, after: last.id } : { since: startedAt - OVERLAP_SECONDS };
  return { changes, cursor: JSON.stringify(next), isLast: !hasMore };
}

function findPlace(cursor: string | null, since: string | null): Place | undefined {
  if (since !== null) return { since: Math.floor(Date.parse(since) / 1000) };
  return cursor === null ? undefined : (JSON.parse(cursor) as Place);
}

/** Reads objects by their ids. Skips objects that do not exist in the account. */
export async function readEach<T>(
  connection: OpenConnection,
  ids: readonly string[],
  { path, expand }: { path: string; expand?: readonly string[] },
): Promise<T[]> {
  const found = await Promise.all(
    ids.map((id) =>
      callStripe<T>(connection, {
        method: 'GET',
        path: `${path}/${encodeURIComponent(id)}`,
        ...(expand ? { form: { expand: [...expand] } } : {}),
      }).catch((error: unknown) => {
        if (error instanceof VendorError && error.kind === 'gone') return undefined;
        throw error;
      }),
    ),
  );
  return found.filter((one) => one !== undefined);
}

/**
 * Lists the objects of one kind that were created since a time, newest first. Stripe deletes old
 * events, but this list stays complete.
 * @param toChange returns undefined for an object that this service did not create
 */
export async function listSince<T extends { id: string }, State>(
  connection: OpenConnection,
  { since, after }: ListStart,
  {
    path,
    expand,
    toChange,
  }: { path: string; expand: readonly string[]; toChange: (object: T) => Change<State> | undefined },
): Promise<ListedPage<State>> {
  const { data, has_more: hasMore } = await callStripe<List<T>>(connection, {
    method: 'GET',
    path,
    form: {
      limit: LIST_PAGE_SIZE,
      created: { gte: Math.floor(Date.parse(since) / 1000) },
      starting_after: after ?? undefined,
      expand: expand.map((name) => `data.${name}`),
    },
  });
  return {
    changes: data.flatMap((object) => toChange(object) ?? []),
    next: hasMore ? (data.at(-1)?.id ?? null) : null,
  };
}
