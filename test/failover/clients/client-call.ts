/** What a client wanted once, with all requests that it needed for it. */
export interface ClientCall {
  /** The number of requests until the outcome, or until the client gave up. */
  tries: number;
  /** When the client had what it wanted, in ms since 1970; undefined if it never did. */
  succeededAt?: number | undefined;
}

/** What one kind of clients saw. */
export interface ClientReport {
  kind: string;
  calls: ClientCall[];
  /** What a client got as done and the service does not have. */
  lost: number;
  /** What the service has more often than a client asked for it. */
  doubled: number;
  /** The acknowledged records that the service has exactly once. Undefined if none is compared. */
  storedOnce?: number;
}

export interface Period {
  from: number;
  to: number;
}

/** Returns the longest time within a period in which no call succeeded, in ms. */
export function findLongestPause(calls: readonly ClientCall[], { from, to }: Period): number {
  const times = calls.flatMap(({ succeededAt: at }) => (at && at > from && at < to ? [at] : []));
  const points = [from, ...times.sort((a, b) => a - b), to];
  return Math.max(...points.slice(1).map((at, nth) => at - (points[nth] as number)));
}

/** Compares the ids that clients got with those that are stored, each as often as it occurs. */
export function compareIds(
  acknowledged: readonly string[],
  stored: readonly string[],
): Required<Pick<ClientReport, 'lost' | 'doubled' | 'storedOnce'>> {
  const counts = new Map<string, number>();
  for (const id of stored) counts.set(id, (counts.get(id) ?? 0) + 1);
  const storedOnce = [...new Set(acknowledged)].filter((id) => counts.get(id) === 1).length;
  let lost = 0;
  for (const id of acknowledged) {
    const count = counts.get(id) ?? 0;
    if (count === 0) lost += 1;
    else counts.set(id, count - 1);
  }
  return { lost, doubled: [...counts.values()].reduce((sum, count) => sum + count, 0), storedOnce };
}
