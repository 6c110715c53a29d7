import type { Config } from '../../../config/config.js';
import type { Change, Command, CommandOutcome, EventDraft } from '../../../contracts/command.js';
import { redactUrl } from '../../../deliveries/redact-url.js';
import { resetEndpointHealth, storeHealthProgress } from '../../../deliveries/store-health-progress.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { WEBHOOKS_QUEUE } from '../../../queues/webhooks.js';
import { diffPatch } from '../../../records/changes.js';
import { notFoundOutcome } from '../../../records/outcomes.js';
import { refKey, toRecordRef } from '../../../records/record-refs.js';
import { insertNotices, type NoticeDraft } from '../../notices/store.js';
import {
  buildDisabledNotice,
  buildExhaustedNotice,
  buildFailingNotice,
  buildRecoveredNotice,
} from './notices.js';
import { insertProbes } from './probe.js';
import { HEALTH_RULES, type HealthStep } from './rules.js';
import { lockWatchedEndpoints, storeEnabledState, type WatchedEndpoint } from './watched-endpoints.js';

const HOUR_MS = 3_600_000;

/** The result of a health step: the endpoint after the step, and the event and notice to record. */
interface StepResult {
  after: WatchedEndpoint;
  event?: EventDraft;
  notice?: NoticeDraft;
  /** Set if the failures, pauses and probes in the endpoint queue are cleared. */
  isReset?: true;
  /** Set if a probe is sent to the endpoint. */
  isProbed?: true;
}

/** A health step with its command, and the endpoint as it was before the step. */
interface Step extends StepResult {
  command: Command;
  before: WatchedEndpoint;
}

type StepFunction = (endpoint: WatchedEndpoint) => StepResult;

/** Columns that a step may change and that the audit log shows. */
const AUDITED_COLUMNS = [
  'enabled',
  'disabled_reason',
  'disabled_at',
  'warned_hours',
  'probes',
  'exhausted_told_count',
] as const;

/**
 * Runs a step on each endpoint for which the step is still due. Other endpoints stay unchanged,
 * without an event or a notice.
 */
async function runSteps(
  tx: Transaction,
  commands: Command[],
  {
    isDue,
    runStep,
    config,
  }: { isDue: (endpoint: WatchedEndpoint) => boolean; runStep: StepFunction; config: Config },
): Promise<CommandOutcome[]> {
  const endpoints = await lockWatchedEndpoints(tx, commands.map(toRecordRef));
  const steps: Step[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const endpoint = endpoints.get(refKey(toRecordRef(command)));
    if (!endpoint) return notFoundOutcome('webhook endpoint');
    if (!isDue(endpoint)) return { ok: true, changes: [], events: [] };
    const result = runStep(endpoint);
    steps.push({ ...result, command, before: endpoint });
    const changes = listAuditedChanges(endpoint, result.after);
    // An endpoint does not receive an event about itself, because deliveries to the endpoint may be
    // failing.
    const events = result.event ? [{ ...result.event, excludedEndpointId: endpoint.id }] : [];
    return { ok: true, changes, events, prompts: [{ queue: WEBHOOKS_QUEUE, id: endpoint.id }] };
  });
  await storeSteps(tx, steps, config);
  return outcomes;
}

function listAuditedChanges(before: WatchedEndpoint, after: WatchedEndpoint): Change[] {
  return diffPatch({ ...before }, Object.fromEntries(AUDITED_COLUMNS.map((name) => [name, after[name]])));
}

async function storeSteps(tx: Transaction, steps: Step[], config: Config): Promise<void> {
  const switched = steps.filter(
    ({ before, after }) =>
      before.enabled !== after.enabled || before.disabled_reason !== after.disabled_reason,
  );
  const probed = steps.filter(({ isProbed }) => isProbed);
  await Promise.all([
    storeEnabledState(tx, switched.map(getAfter)),
    storeHealthProgress(tx, steps.map(getAfter)),
    resetEndpointHealth(tx, steps.filter(({ isReset }) => isReset).map(getAfter)),
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

const getAfter = ({ after }: Step) => after;

function stepHandler(step: HealthStep, runStep: StepFunction) {
  return (tx: Transaction, commands: Command[], config: Config): Promise<CommandOutcome[]> =>
    runSteps(tx, commands, { isDue: (endpoint) => endpoint.step === step, runStep, config });
}

const addHours = (from: string, hours: number) => new Date(Date.parse(from) + hours * HOUR_MS).toISOString();

/**
 * Warns about endpoints that have failed for one of the durations in `warnAfterHours`: records an
 * event and a notice.
 */
export const warnAboutEndpoints = stepHandler('warn', (endpoint) => {
  const hours = endpoint.reached_hours as number;
  const since = endpoint.failing_since as string;
  const disables_at = addHours(since, HEALTH_RULES.disableAfterHours);
  return {
    after: { ...endpoint, warned_hours: hours },
    event: {
      type: 'endpoint.failing',
      extra: { failing_since: new Date(since).toISOString(), hours, disables_at },
    },
    notice: buildFailingNotice(endpoint, { hours, disablesAt: disables_at }),
  };
});

/**
 * Disables endpoints that failed for too long without a success, or whose receiver asked to be
 * disabled. The webhook workers then cancel the open deliveries.
 */
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
      warned_hours: isProbed ? HEALTH_RULES.disableAfterHours : 0,
      probe_after: isProbed ? addHours(endpoint.now, HEALTH_RULES.firstProbeHours) : null,
      probes: 0,
    },
    event: { type: 'endpoint.disabled', extra: { reason } },
    notice: buildDisabledNotice(endpoint, reason),
  };
});

/** Records an event and a notice for endpoints that work again after a warning. */
export const recordEndpointRecoveries = stepHandler('recover', (endpoint) => ({
  after: { ...endpoint, warned_hours: 0 },
  event: { type: 'endpoint.recovered', extra: { was_disabled: false } },
  notice: buildRecoveredNotice(endpoint),
}));

/** Enables endpoints that were disabled for failing and have accepted a probe since. */
export const reenableEndpoints = stepHandler('heal', (endpoint) => ({
  after: {
    ...endpoint,
    enabled: true,
    disabled_reason: null,
    disabled_at: null,
    warned_hours: 0,
    probe_after: null,
    probes: 0,
  },
  isReset: true,
  event: { type: 'endpoint.recovered', extra: { was_disabled: true } },
  notice: buildRecoveredNotice(endpoint),
}));

/** Sends a probe to endpoints that were disabled for failing, and schedules the next probe. */
export const probeEndpoints = stepHandler('probe', (endpoint) => {
  const probes = endpoint.probes + 1;
  const wait = Math.min(HEALTH_RULES.firstProbeHours * 2 ** probes, HEALTH_RULES.maxProbeHours);
  return {
    after: { ...endpoint, probes, probe_after: addHours(endpoint.now, wait) },
    isProbed: true,
  };
});

/**
 * Records an event and a notice about exhausted deliveries, which have used all their attempts. One
 * notice covers all deliveries that were exhausted since the previous notice.
 */
export function recordExhaustedDeliveries(
  tx: Transaction,
  commands: Command[],
  config: Config,
): Promise<CommandOutcome[]> {
  const isDue = (endpoint: WatchedEndpoint) => endpoint.tells_exhausted;
  return runSteps(tx, commands, { isDue, runStep: announceExhausted, config });
}

const announceExhausted: StepFunction = (endpoint) => {
  const { id, url, last_exhausted_id: last, exhausted_count, exhausted_told_count, now } = endpoint;
  const count = exhausted_count - exhausted_told_count;
  const result: StepResult = {
    after: { ...endpoint, exhausted_told_count: exhausted_count, exhausted_told_at: now },
    notice: buildExhaustedNotice(endpoint, count),
  };
  if (!last) return result;
  const entity = { type: 'webhook_delivery', id: last };
  const extra = { endpoint: { id, url: redactUrl(url) }, exhausted_count: count };
  return { ...result, event: { type: 'delivery.exhausted', entity, extra } };
};
