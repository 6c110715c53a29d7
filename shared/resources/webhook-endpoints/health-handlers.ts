import type { Change, Command, EventDraft, Outcome } from '../../contracts/command.js';
import type { Config } from '../../platform/config.js';
import type { Transaction } from '../../platform/postgres.js';
import { changesOf } from '../changes.js';
import { insertNotices, type NoticeDraft } from '../notices/store.js';
import { missing, refKey, refOf } from '../sets.js';
import { bareUrl } from './bare-url.js';
import { resetLanes } from './endpoint-rows.js';
import { lockWatched, storeEnabled, storeTold, type WatchedEndpoint } from './health-lanes.js';
import { disabledNotice, exhaustedNotice, failingNotice, recoveredNotice } from './health-notices.js';
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
  /** It is sent a probe. */
  isProbed?: true;
}

/** A step that is taken, and what it was taken on. */
interface Step extends Taken {
  command: Command;
  before: WatchedEndpoint;
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
  const steps: Step[] = [];
  const outcomes = commands.map((command): Outcome => {
    const endpoint = endpoints.get(refKey(refOf(command)));
    if (!endpoint) return missing('webhook endpoint');
    if (!isDue(endpoint)) return { ok: true, changes: [], events: [] };
    const one = take(endpoint);
    steps.push({ ...one, command, before: endpoint });
    const changes = auditedChanges(endpoint, one.after);
    // About itself an endpoint is told nothing: it may be failing at that very event.
    const events = one.event ? [{ ...one.event, exceptEndpoint: endpoint.id }] : [];
    return { ok: true, changes, events, wokenEndpoints: [endpoint.id] };
  });
  await store(tx, steps, config);
  return outcomes;
}

function auditedChanges(before: WatchedEndpoint, after: WatchedEndpoint): Change[] {
  return changesOf({ ...before }, Object.fromEntries(AUDITED.map((name) => [name, after[name]])));
}

async function store(tx: Transaction, steps: Step[], config: Config): Promise<void> {
  const switched = steps.filter(
    ({ before, after }) =>
      before.enabled !== after.enabled || before.disabled_reason !== after.disabled_reason,
  );
  const probed = steps.filter(({ isProbed }) => isProbed);
  await Promise.all([
    storeEnabled(tx, switched.map(afterOf)),
    storeTold(tx, steps.map(afterOf)),
    resetLanes(tx, steps.filter(({ isReset }) => isReset).map(afterOf)),
    insertProbes(
      tx,
      probed.map(({ after, command: { environment } }) => ({ ...after, environment })),
    ),
    insertNotices(
      tx,
      steps.flatMap(({ command, notice }) => (notice ? [{ command, notice }] : [])),
      config,
    ),
  ]);
}

const afterOf = ({ after }: Step) => after;

function stepHandler(step: HealthStep, take: Take) {
  return (tx: Transaction, commands: Command[], config: Config): Promise<Outcome[]> =>
    takeSteps(tx, commands, { isDue: (endpoint) => endpoint.step === step, take, config });
}

const inHours = (from: string, hours: number) => new Date(Date.parse(from) + hours * HOUR_MS).toISOString();

/** Tells that endpoints have been failing for one of the times of which is told. */
export const warnOfEndpoints = stepHandler('warn', (endpoint) => {
  const hours = endpoint.reached_hours as number;
  const since = endpoint.failing_since as string;
  const disables_at = inHours(since, HEALTH.disableAfter);
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
export const probeEndpoints = stepHandler('probe', (endpoint) => {
  const probes = endpoint.probes + 1;
  const wait = Math.min(HEALTH.probeAfter * 2 ** probes, HEALTH.probeAtMost);
  return {
    after: { ...endpoint, probes, probe_after: inHours(endpoint.now, wait) },
    isProbed: true,
  };
});

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
