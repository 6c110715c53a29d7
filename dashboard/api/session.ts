import { useSyncExternalStore } from 'react';
import { api, client, listenForMissingFactor, listenForSessionEnd, newKey } from './client';
import { queryClient } from './query-client';
import type { Schemas } from './records';

let hasEnded = false;
const listeners = new Set<() => void>();

function setEnded(ended: boolean): void {
  if (hasEnded === ended) return;
  hasEnded = ended;
  for (const listener of listeners) listener();
}

listenForSessionEnd(() => setEnded(true));
listenForMissingFactor(() => {
  const options = api.queryOptions('get', '/session', {});
  // Read the session again only once, although many responses may report the missing factor.
  if (queryClient.getQueryData<Schemas['Session']>(options.queryKey)?.is_factor_setup_required === false)
    void queryClient.invalidateQueries({ queryKey: options.queryKey });
});

/**
 * True once a response has reported the end of the session. False again after
 * {@link resumeSession}.
 */
export function useHasSessionEnded(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => hasEnded,
  );
}

export function resumeSession(): void {
  setEnded(false);
}

/** Signs out, and clears all data that the page has read. */
export async function signOut(): Promise<void> {
  await client.DELETE('/session', { params: { header: { 'Idempotency-Key': newKey() } } });
  queryClient.clear();
  window.location.assign('/app/');
}

/** Reads the signed-in person, and the account or sandbox of this page. */
export function useSession() {
  return api.useQuery('get', '/session', {}, { staleTime: 60_000 });
}

/** Reads the rights of the signed-in person, and the time zone of the account. */
export function useMe() {
  return api.useQuery('get', '/me', {}, { staleTime: 60_000 });
}

/**
 * Returns the account's time zone, in which the page shows all times. Returns the browser's time
 * zone until the account's time zone is known.
 */
export function useTimeZone(): string {
  const { data } = useMe();
  return data?.tenant.time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** True if the person has the permission. */
export function useCan(permission: Schemas['Permission']): boolean {
  const { data } = useMe();
  return data?.key.permissions.includes(permission) ?? false;
}
