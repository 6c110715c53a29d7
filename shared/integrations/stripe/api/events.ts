import type { Change, OpenConnection, Page, PullStart } from '../../contract/connection.js';
import type { ListedPage, ListStart } from '../../contract/readings.js';
import { VendorError } from '../../contract/vendor-error.js';
import { callStripe } from './client.js';
import { type StripeEvent, toNotice } from './inbound.js';

export interface List<T> {
  data: T[];
  has_more: boolean;
}

/** Each event costs a read of its object, so a page is small. */
const PAGE_SIZE = 50;
/** The worker reads 4 MB at most. A payment with its charge and much metadata has some 60 kB. */
const LIST_PAGE_SIZE = 50;
/** A pull reads again what happened this long before its start, because lists lag behind. */
const OVERLAP_SECONDS = 120;
/** The first pull of a connection looks this far back. */
const FIRST_PULL_SECONDS = 86_400;

/**
 * Where a pull continues. Stripe lists events newest first, so a pull of several pages walks back
 * in time to `since`, and the next pull begins where this one began.
 */
interface Place {
  /** Seconds since 1970: up to then, earlier pulls have read. */
  since: number;
  /** Seconds since 1970: when this pull began. Absent between two pulls. */
  startedAt?: number;
  /** The event after which the next page of this pull begins. */
  after?: string;
}

/**
 * Reads the events since the cursor, and then the objects that these events name, as they are now.
 * So a webhook that was lost, and an object that changed long after its creation, are found too.
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

/** Reads objects by their ids. Skips those that the account does not have. */
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
 * Lists the objects of one kind that were made since a time, newest first. Unlike the list of
 * events, this list forgets nothing.
 * @param toChange returns undefined for an object that is none of ours
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
