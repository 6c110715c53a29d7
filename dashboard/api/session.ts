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
  // Read the session again only once, although all responses until then say the same.
  if (queryClient.getQueryData<Schemas['Session']>(options.queryKey)?.is_factor_setup_required === false)
    void queryClient.invalidateQueries({ queryKey: options.queryKey });
});

/** True after a response said that the session has ended, until {@link resumeSession}. */
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

/** Signs out, and forgets everything that was read. */
export async function signOut(): Promise<void> {
  await client.DELETE('/session', { params: { header: { 'Idempotency-Key': newKey() } } });
  queryClient.clear();
  window.location.assign('/app/');
}

/** Reads the signed-in person, with the account or sandbox that this page acts on. */
export function useSession() {
  return api.useQuery('get', '/session', {}, { staleTime: 60_000 });
}

/** Reads the rights of the signed-in person, and the time zone of the account. */
export function useMe() {
  return api.useQuery('get', '/me', {}, { staleTime: 60_000 });
}

/**
 * Returns the account's time zone, in which all times are shown. Until it is known, returns the
 * browser's time zone.
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
