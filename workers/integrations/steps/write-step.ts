import { isDeepStrictEqual } from 'node:util';
import { failpoint } from '../../../shared/config/failpoints.js';
import { VendorError } from '../../../shared/integrations/contract/vendor-error.js';
import { newId } from '../../../shared/platform/ids.js';
import { toStorable } from '../../../shared/platform/storable-text.js';
import { openSyncIssue } from '../../../shared/resources/sync-issues/commands.js';
import { readConnectionSettings } from '../../../shared/sync/begin-step.js';
import { storeExternalIds } from '../../../shared/sync/external-ids.js';
import type { IssueKind } from '../../../shared/sync/issue-rows.js';
import {
  type OperationResult,
  type StartedOperation,
  storeOperationResult,
} from '../../../shared/sync/operation-rows.js';
import { makeStreamsDue } from '../../../shared/sync/stream-rows.js';
import { addJitter, RETRY_SCHEDULE_MS } from '../../leased-queues/retry-schedule.js';
import type { WriteOutcome } from '../records/record-kind.js';
import { findRecordKind } from '../records/record-kinds.js';
import { type Step, type StepCommand, toStepError } from '../vendor/step.js';

/** The wait after a rate limit without a Retry-After header. */
const DEFAULT_LIMIT_WAIT_MS = 30_000;
const TAKEN_ID =
  'The vendor has accepted the record, but under the id of another one. What happens to it there will not arrive here.';

export async function runWrite(step: Step, operation: StartedOperation): Promise<void> {
  const { config } = step.services.runtime;
  const kind = findRecordKind(operation.kind);
  let outcome: WriteOutcome | VendorError;
  try {
    // Attempts are counted when they start. So the worker also gives up an operation whose every
    // attempt kills the worker.
    if (operation.attempts > RETRY_SCHEDULE_MS.length) throw exhaustedError();
    failpoint(config, 'before_vendor_write');
    outcome = await kind.write(step, operation);
    failpoint(config, 'after_vendor_write');
  } catch (error) {
    outcome = toStepError(step, error);
  }
  try {
    if (outcome instanceof VendorError) await storeFailure(step, operation, outcome);
    else await storeOutcome(step, operation, outcome);
  } catch (error) {
    // PostgreSQL refused the result. Without a stored failure, the worker would repeat the write
    // every half second.
    await storeFailure(step, operation, toStepError(step, error));
  }
  failpoint(config, 'after_vendor_result');
}

function exhaustedError(): VendorError {
  return new VendorError('The write broke off repeatedly.', { kind: 'unknown_outcome', code: 'broke_off' });
}

async function storeOutcome(step: Step, operation: StartedOperation, outcome: WriteOutcome): Promise<void> {
  const kind = findRecordKind(operation.kind);
  if ('postponedMs' in outcome) {
    const { postponedMs, reason: error } = outcome;
    return step.finish({
      error: null,
      async store(tx) {
        // The limit came from the settings. New ones may postpone the write to another time.
        const settings = await readConnectionSettings(tx, step.connection);
        const isOutdated = !isDeepStrictEqual(settings, step.connection.settings);
        storeOperationResult(tx, operation, {
          state: 'due',
          error,
          errorKind: 'limit',
          retryInMs: isOutdated ? 0 : postponedMs,
          mayHaveArrived: operation.may_have_arrived,
          isCounted: false,
        });
      },
    });
  }
  if ('cancelled' in outcome) return storeCancellation(step, operation, outcome);
  const { externalId: external_id, version, url = null } = toStorable(outcome.written);
  const { tenant_id, connection_id, kind: kindName, local_id, may_have_arrived: mayHaveArrived } = operation;
  const commands = kind.buildSuccess(operation, outcome);
  await step.finish({
    commands,
    async store(tx) {
      storeOperationResult(tx, operation, { state: 'done' });
      await kind.storeAcceptance(tx, operation, outcome);
      const id = { tenant_id, connection_id, kind: kindName, local_id, external_id, url };
      // An earlier attempt may have written the record. Pulls since then dropped the record's
      // changes, because its external id was unknown. In this case, store no version, and read the
      // streams again from the time when the operation was created.
      const { taken } = await storeExternalIds(tx, [{ ...id, version: mayHaveArrived ? null : version }]);
      if (taken > 0) commands.push(buildIssue(operation, 'conflict', TAKEN_ID));
      if (mayHaveArrived)
        await makeStreamsDue(tx, [
          { tenant_id, id: connection_id, stream: null, since: operation.created_at },
        ]);
    },
  });
}

type CancelledWrite = Extract<WriteOutcome, { cancelled: string }>;

/**
 * Ends an operation that must not be attempted again. Opens a sync issue only if an earlier attempt
 * may have reached the vendor.
 */
function storeCancellation(
  step: Step,
  operation: StartedOperation,
  { cancelled, mayHaveArrived, code = 'cancelled' }: CancelledWrite,
): Promise<void> {
  const reason = mayHaveArrived
    ? `${cancelled} It may have left before: the vendor did not answer an earlier attempt.`
    : cancelled;
  const issues = mayHaveArrived ? [buildIssue(operation, 'exhausted', reason)] : [];
  return store(step, operation, {
    result: { state: 'dead', error: reason, errorKind: 'cancelled', mayHaveArrived },
    commands: [
      ...issues,
      ...findRecordKind(operation.kind).buildFailure(operation, { reason, code, mayHaveArrived }),
    ],
    error: null,
  });
}

interface StoredFailure {
  result: OperationResult;
  error: VendorError | null;
  commands?: StepCommand[];
}

function store(step: Step, operation: StartedOperation, { result, error, commands }: StoredFailure) {
  return step.finish({
    error,
    ...(commands ? { commands } : {}),
    store: (tx) => storeOperationResult(tx, operation, result),
  });
}

async function storeFailure(step: Step, operation: StartedOperation, error: VendorError): Promise<void> {
  const { kind, message, retryAfterMs = 0 } = error;
  const base = { state: 'due', error: message, errorKind: kind } as const;
  // If an earlier attempt got no response, the vendor may have the record, even if this attempt
  // failed.
  const wasUnknown = operation.may_have_arrived;
  if (kind === 'limit')
    return store(step, operation, {
      error,
      result: {
        ...base,
        retryInMs: retryAfterMs || DEFAULT_LIMIT_WAIT_MS,
        mayHaveArrived: wasUnknown,
        isCounted: false,
      },
    });
  if (kind === 'auth') return storeRefusedAccess(step, operation, error);
  const issue = findIssueKind(operation, error);
  if (issue === undefined)
    return store(step, operation, {
      error,
      result: {
        ...base,
        retryInMs: Math.max(
          addJitter(RETRY_SCHEDULE_MS[operation.attempts] ?? 0, Math.random()),
          retryAfterMs,
        ),
        mayHaveArrived: wasUnknown || kind === 'unknown_outcome',
        isCounted: true,
      },
    });
  await store(step, operation, {
    error,
    result: {
      state: 'dead',
      error: message,
      errorKind: kind,
      mayHaveArrived: wasUnknown || kind === 'unknown_outcome',
    },
    commands: [
      buildIssue(operation, issue, message),
      ...findRecordKind(operation.kind).buildFailure(operation, {
        reason: message,
        code: error.code,
        mayHaveArrived: wasUnknown || kind === 'unknown_outcome',
      }),
    ],
  });
}

/**
 * Refreshes a refused access token once. A person must connect again if the vendor refuses the new
 * token too, or if there is no refresh token.
 */
async function storeRefusedAccess(
  step: Step,
  operation: StartedOperation,
  error: VendorError,
): Promise<void> {
  const canRefresh = step.planTokenRefresh(error);
  await store(step, operation, {
    error: canRefresh ? null : error,
    result: {
      state: 'due',
      error: error.message,
      errorKind: 'auth',
      retryInMs: 0,
      mayHaveArrived: operation.may_have_arrived,
      isCounted: false,
    },
  });
}

function findIssueKind({ attempts }: StartedOperation, { kind }: VendorError): IssueKind | undefined {
  if (kind === 'refused' || kind === 'conflict' || kind === 'gone') return kind;
  return attempts >= RETRY_SCHEDULE_MS.length ? 'exhausted' : undefined;
}

function buildIssue(operation: StartedOperation, kind: IssueKind, message: string): StepCommand {
  const { connection_id, id: operation_id, kind: record_kind, local_id: record_id } = operation;
  return {
    type: openSyncIssue.type,
    entityId: newId(),
    input: { connection_id, kind, operation_id, record_kind, record_id, message },
  };
}

export async function cancelWrite(step: Step, operation: StartedOperation): Promise<void> {
  const { may_have_arrived: mayHaveArrived } = operation;
  await storeCancellation(step, operation, { cancelled: 'The connection was disconnected.', mayHaveArrived });
}
