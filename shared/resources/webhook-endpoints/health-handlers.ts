import type { Change, Command, EventDraft, Outcome } from '../../contracts/command.js';
import type { Config } from '../../platform/config.js';
import type { Transaction } from '../../platform/postgres.js';
import { changesOf } from '../changes.js';
import { insertNotices, type NoticeDraft } from '../notices/store.js';
import { missing, refKey, refOf } from '../sets.js';
import { resetLanes } from './endpoint-rows.js';
import { lockWatched, storeEnabled, storeTold, type WatchedEndpoint } from './health-lanes.js';
import {
  bareUrl,
  disabledNotice,
  disablesAt,
  exhaustedNotice,
  failingNotice,
  recoveredNotice,
} from './health-notices.js';
import { HEALTH, type HealthStep } from './health-rules.js';
import { insertProbes } from './probe.js';

const HOUR_MS = 3_600_000;

/** What a step makes of an endpoint. */
interface Taken {
  after: WatchedEndpoint;
  event?: EventDraft;
  notice?: NoticeDraft;
  /** What its lane counted starts anew. */
  isReset?: true;
}

type Take = (endpoint: WatchedEndpoint) => Taken;

/** Columns that a step may change, as the audit log tells them. */
const AUDITED = [
  'enabled',
  'disabled_reason',
  'disabled_at',
  'warned_hours',
  'probes',
  'exhausted_told_count',
] as const;

/** Takes a step for each endpoint for which it still is the next one; for the others nothing happens and nothing is told. */
async function takeSteps(
  tx: Transaction,
  commands: Command[],
  { isDue, take, config }: { isDue: (endpoint: WatchedEndpoint) => boolean; take: Take; config: Config },
): Promise<Outcome[]> {
  const endpoints = await lockWatched(tx, commands.map(refOf));
  const taken: (Taken & { command: Command })[] = [];
  const outcomes = commands.map((command): Outcome => {
    const endpoint = endpoints.get(refKey(refOf(command)));
    if (!endpoint) return missing('webhook endpoint');
    if (!isDue(endpoint)) return { ok: true, changes: [], events: [] };
    const one = take(endpoint);
    taken.push({ ...one, command });
    const changes = auditedChanges(endpoint, one.after);
    // About itself an endpoint is told nothing: it may be failing at that very event.
    const events = one.event ? [{ ...one.event, exceptEndpoint: endpoint.id }] : [];
    return { ok: true, changes, events, wokenEndpoints: [endpoint.id] };
  });
  await store(tx, taken, { endpoints, config });
  return outcomes;
}

function auditedChanges(before: WatchedEndpoint, after: WatchedEndpoint): Change[] {
  return changesOf({ ...before }, Object.fromEntries(AUDITED.map((name) => [name, after[name]])));
}

async function store(
  tx: Transaction,
  taken: (Taken & { command: Command })[],
  { endpoints, config }: { endpoints: Map<string, WatchedEndpoint>; config: Config },
): Promise<void> {
  const after = taken.map((one) => one.after);
  const switched = after.filter((row) => {
    const before = endpoints.get(refKey(row)) as WatchedEndpoint;
    return before.enabled !== row.enabled || before.disabled_reason !== row.disabled_reason;
  });
  const notices = taken.flatMap(({ command, notice }) => (notice ? [{ command, notice }] : []));
  await Promise.all([
    storeEnabled(tx, switched),
    storeTold(tx, after),
    resetLanes(
      tx,
      taken.filter(({ isReset }) => isReset).map((one) => one.after),
    ),
    insertNotices(tx, notices, config),
  ]);
}

function stepHandler(step: HealthStep, take: Take) {
  return (tx: Transaction, commands: Command[], config: Config): Promise<Outcome[]> =>
    takeSteps(tx, commands, { isDue: (endpoint) => endpoint.step === step, take, config });
}

const inHours = (from: string, hours: number) => new Date(Date.parse(from) + hours * HOUR_MS).toISOString();

/** Tells that endpoints have been failing for one of the times of which is told. */
export const warnOfEndpoints = stepHandler('warn', (endpoint) => {
  const hours = endpoint.reached_hours as number;
  const since = endpoint.failing_since as string;
  const disables_at = disablesAt(since);
  return {
    after: { ...endpoint, warned_hours: hours },
    event: {
      type: 'endpoint.failing',
      extra: { failing_since: new Date(since).toISOString(), hours, disables_at },
    },
    notice: failingNotice(endpoint, { hours, disablesAt: disables_at }),
  };
});

/** Disables endpoints that have only failed for too long, or whose receiver asked for the end. Their workers cancel what is still open. */
export const disableEndpoints = stepHandler('disable', (endpoint) => {
  const reason = endpoint.stop_reason ?? 'failing';
  const isProbed = reason === 'failing';
  return {
    after: {
      ...endpoint,
      enabled: false,
      disabled_reason: reason,
      disabled_at: (endpoint.enabled ? null : endpoint.disabled_at) ?? new Date(endpoint.now).toISOString(),
      stop_reason: null,
      warned_hours: isProbed ? HEALTH.disableAfter : 0,
      probe_after: isProbed ? inHours(endpoint.now, HEALTH.probeAfter) : null,
      probes: 0,
    },
    event: { type: 'endpoint.disabled', extra: { reason } },
    notice: disabledNotice(endpoint, reason),
  };
});

/** Tells that endpoints work again of which a failure was told. */
export const noteEndpointRecoveries = stepHandler('recover', (endpoint) => ({
  after: { ...endpoint, warned_hours: 0 },
  event: { type: 'endpoint.recovered', extra: { was_disabled: false } },
  notice: recoveredNotice(endpoint),
}));

/** Enables endpoints that were disabled for failing and have taken a probe since. */
export const healEndpoints = stepHandler('heal', (endpoint) => ({
  after: {
    ...endpoint,
    ...{ enabled: true, disabled_reason: null, disabled_at: null },
    ...{ warned_hours: 0, probe_after: null, probes: 0 },
  },
  isReset: true,
  event: { type: 'endpoint.recovered', extra: { was_disabled: true } },
  notice: recoveredNotice(endpoint),
}));

/** Sends endpoints that were disabled for failing a probe, and plans the next one. */
export async function probeEndpoints(
  tx: Transaction,
  commands: Command[],
  config: Config,
): Promise<Outcome[]> {
  const probed: WatchedEndpoint[] = [];
  const take: Take = (endpoint) => {
    probed.push(endpoint);
    const wait = Math.min(HEALTH.probeAfter * 2 ** (endpoint.probes + 1), HEALTH.probeAtMost);
    return {
      after: { ...endpoint, probes: endpoint.probes + 1, probe_after: inHours(endpoint.now, wait) },
    };
  };
  const isDue = (endpoint: WatchedEndpoint) => endpoint.step === 'probe';
  const outcomes = await takeSteps(tx, commands, { isDue, take, config });
  const environments = new Map(commands.map((command) => [refKey(refOf(command)), command.environment]));
  await insertProbes(
    tx,
    probed.map((endpoint) => ({ ...endpoint, environment: environments.get(refKey(endpoint)) ?? 'live' })),
  );
  return outcomes;
}

/** Tells of deliveries that used up every attempt, those since the last telling together. */
export function recordExhaustedDeliveries(
  tx: Transaction,
  commands: Command[],
  config: Config,
): Promise<Outcome[]> {
  const isDue = (endpoint: WatchedEndpoint) => endpoint.tells_exhausted;
  return takeSteps(tx, commands, { isDue, take: tellExhausted, config });
}

const tellExhausted: Take = (endpoint) => {
  const { id, url, last_exhausted_id: last, exhausted_count, exhausted_told_count, now } = endpoint;
  const count = exhausted_count - exhausted_told_count;
  const told: Taken = {
    after: { ...endpoint, exhausted_told_count: exhausted_count, exhausted_told_at: now },
    notice: exhaustedNotice(endpoint, count),
  };
  if (!last) return told;
  const entity = { type: 'webhook_delivery', id: last };
  const extra = { endpoint: { id, url: bareUrl(url) }, exhausted_count: count };
  return { ...told, event: { type: 'delivery.exhausted', entity, extra } };
};
