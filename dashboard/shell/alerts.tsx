import { Anchor } from '@mantine/core';
import { useCallback, useEffect, useRef } from 'react';
import { api } from '../api/client';
import { useLiveEvents, useLiveState } from '../api/live';
import type { EventRecord } from '../api/records';
import { showToast } from '../api/toast';
import { useUrl, useUrlPath, useUrlSearch } from '../parts/url/use-url';
import { describeApproval, describeEvent, describeNotice, type News } from './news';
import { beep, isSoundOn } from './sound';
import { type Unseen, updateUnseen } from './unseen';

/** News within this time is announced together. */
const BURST_MS = 500;
const TOAST_MS = 10_000;
const POLL_MS = 60_000;

/**
 * Announces news on every screen while the page is open. It shows a toast with a link, and counts
 * unseen news items in the title. If the person wants a sound, it plays one.
 */
export function Alerts() {
  const announce = useAnnouncement();
  useEventNews(announce);
  useListNews(announce);
  useSeenScreens();
  return null;
}

type Announce = (news: readonly News[]) => void;

/**
 * Announces the events that arrive on the stream. Without a stream, for example in a hidden tab,
 * polls the newest events.
 */
function useEventNews(announce: Announce): void {
  const heard = useRef(new Set<string>());
  const hear = useCallback(
    (event: EventRecord) => {
      const news = describeEvent(event);
      if (!news || heard.current.has(event.id)) return;
      heard.current.add(event.id);
      announce([news]);
    },
    [announce],
  );
  useLiveEvents(hear);
  const { data } = api.useQuery(
    'get',
    '/events',
    { params: { query: { limit: 50 } } },
    { ...usePolling(), enabled: useLiveState() !== 'connected' },
  );
  useArrivals(data?.data.items, (event) => event.timestamp, hear);
}

/**
 * Approvals and notices cause no events, so this hook watches their lists. The page reads the lists
 * again after each change.
 */
function useListNews(announce: Announce): void {
  const polling = usePolling();
  const approvals = api.useQuery(
    'get',
    '/approvals',
    { params: { query: { status: 'pending', limit: 50 } } },
    polling,
  ).data?.data.items;
  const notices = api.useQuery('get', '/notices', { params: { query: { unread: true, limit: 50 } } }, polling)
    .data?.data.items;
  // A decided approval is no longer news, so mark it as seen.
  useEffect(() => {
    if (!approvals) return;
    const isPending = (id: string) => approvals.some((approval) => approval.id === id);
    updateUnseen((old) => old.filter(({ id, screens }) => !screens.includes('approvals') || isPending(id)));
  }, [approvals]);
  useArrivals(
    approvals,
    (approval) => approval.created_at,
    (approval) => announce([describeApproval(approval)]),
  );
  useArrivals(
    notices,
    (notice) => notice.created_at,
    (notice) => announce([describeNotice(notice)]),
  );
}

function usePolling() {
  const isConnected = useLiveState() === 'connected';
  return { refetchInterval: isConnected ? (false as const) : POLL_MS, refetchIntervalInBackground: true };
}

/**
 * Calls `onArrival` with each record that is newer than all records of earlier reads. The first
 * read only sets the starting point. Compares the server's times, because the clocks of browsers
 * differ.
 */
function useArrivals<Item>(
  items: readonly Item[] | undefined,
  timeOf: (item: Item) => string,
  onArrival: (item: Item) => void,
): void {
  const newest = useRef<string>(undefined);
  useEffect(() => {
    // Without items, the person has just switched the environment. Forget the newest time, because
    // it belongs to the other environment.
    if (!items) newest.current = undefined;
    const before = newest.current;
    for (const item of items ?? []) {
      if (before !== undefined && timeOf(item) > before) onArrival(item);
      if (timeOf(item) > (newest.current ?? '')) newest.current = timeOf(item);
    }
    if (items) newest.current ??= '';
  });
}

/**
 * Returns a function that announces news. Several news items of one kind within a short time share
 * a toast.
 */
function useAnnouncement(): Announce {
  const waiting = useRef<News[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const place = { ...useUrlPath(), ...useUrl() };
  const latest = useRef(place);
  latest.current = place;
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback((news) => {
    waiting.current.push(...news);
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      announceAll(waiting.current, latest.current);
      waiting.current = [];
    }, BURST_MS);
  }, []);
}

function announceAll(news: readonly News[], place: Place): void {
  // While the page is visible, do not announce the record that is open. The person may have just
  // created it.
  const fresh = news.filter(({ id }) => document.hidden || id !== place.id);
  if (fresh.length === 0) return;
  for (const kind of new Set(fresh.map((one) => one.kind)))
    showNews(
      fresh.filter((one) => one.kind === kind),
      place,
    );
  const unseen = fresh.map(({ id, screen, alsoOn }): Unseen => ({ id, screens: [screen, ...alsoOn] }));
  updateUnseen((old) => [
    ...old,
    ...unseen.filter(({ screens }) => document.hidden || !screens.includes(place.screen)),
  ]);
  if (isSoundOn()) beep();
}

type Place = ReturnType<typeof useUrlPath> & Pick<ReturnType<typeof useUrl>, 'openRecord' | 'openScreen'>;

function showNews(group: readonly News[], { openRecord, openScreen }: Place): void {
  const [first] = group;
  if (!first) return;
  const { screen, id } = first;
  const isRecord = group.length === 1 && first.hasRecord;
  const environment = window.location.search.includes('env=sandbox') ? '?env=sandbox' : '';
  const open = () => (isRecord ? openRecord(id, screen) : openScreen(screen));
  const text = group.length === 1 ? first.text : `${group.length} ${first.kind}`;
  // Toasts are outside the router, so this link calls the router itself.
  void showToast(
    <Anchor
      inherit
      href={`/app/${screen}${isRecord ? `/${id}` : ''}${environment}`}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        open();
      }}
    >
      {text}
    </Anchor>,
    // In a hidden tab, toasts stay until the person returns.
    { autoClose: document.hidden ? false : TOAST_MS },
  );
}

/**
 * Marks the news that the current screen shows as seen. Empties the list of unseen news when the
 * person switches between live and sandbox.
 */
function useSeenScreens(): void {
  const { screen } = useUrlPath();
  const { env } = useUrlSearch();
  useEffect(() => {
    const markSeen = () => {
      if (!document.hidden) updateUnseen((old) => old.filter(({ screens }) => !screens.includes(screen)));
    };
    markSeen();
    document.addEventListener('visibilitychange', markSeen);
    return () => document.removeEventListener('visibilitychange', markSeen);
  }, [screen]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when `env` changes
  useEffect(() => () => updateUnseen(() => []), [env]);
}
