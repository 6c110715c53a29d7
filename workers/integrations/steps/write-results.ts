import { isDeepStrictEqual } from 'node:util';
import type { VendorError } from '../../../shared/integrations/contract/vendor-error.js';
import { newId } from '../../../shared/platform/ids.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import { toStorable } from '../../../shared/platform/storable-text.js';
import { openSyncIssue } from '../../../shared/resources/sync-issues/commands.js';
import { readConnectionSettings } from '../../../shared/sync/begin-step.js';
import { storeExternalIds } from '../../../shared/sync/external-ids.js';
import type { IssueKind } from '../../../shared/sync/issue-rows.js';
import { readLater } from '../../../shared/sync/notice-rows.js';
import {
  type OperationResult,
  type StartedOperation,
  storeOperationResult,
} from '../../../shared/sync/operation-rows.js';
import { makeStreamsDue } from '../../../shared/sync/stream-rows.js';
import { addJitter, RETRY_SCHEDULE_MS } from '../../leased-queues/retry-schedule.js';
import { findKindStream, findRecordKind } from '../kinds/record-kinds.js';
import type { WriteOutcome } from '../records/record-kind.js';
import { LEFT_WAIT_MS } from '../records/store-changes.js';
import type { Step, StepCommand } from '../vendor/step.js';

/**
 * The wait if the vendor refuses a call because of its rate limit and sends no Retry-After header.
 */
const DEFAULT_LIMIT_WAIT_MS = 30_000;
const CLOCK_SKEW_MS = 60_000;
const TAKEN_ID =
  'The vendor has accepted the record, but under the id of another one. What happens to it there will not arrive here.';

/** What a step stores about one write. */
export interface PlannedResult {
  /** As in StepResult: undefined after a success, null if it shows nothing about the vendor. */
  error: VendorError | null | undefined;
  /** Stores the result, and returns the commands that follow from it. */
  store(tx: Transaction): Promise<StepCommand[]>;
}

/** Plans how to store the outcome of a write to which the vendor returned no error. */
export function planOutcome(step: Step, operation: StartedOperation, outcome: WriteOutcome): PlannedResult {
  const kind = findRecordKind(operation.kind);
  if ('postponedMs' in outcome) {
    const { postponedMs, reason: error } = outcome;
    return {
      error: null,
      async store(tx) {
        // The settings determine this limit. If they changed during the step, compute the time
        // again.
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
        return [];
      },
    };
  }
  if ('cancelled' in outcome) return planCancellation(operation, outcome);
  const { externalId: external_id, version, url = null } = toStorable(outcome.written);
  const { tenant_id, connection_id, kind: kindName, local_id, may_have_arrived: mayHaveArrived } = operation;
  return {
    error: undefined,
    async store(tx) {
      const commands = kind.buildSuccess(operation, outcome);
      storeOperationResult(tx, operation, { state: 'done' });
      await kind.storeAcceptance(tx, operation, outcome);
      const id = { tenant_id, connection_id, kind: kindName, local_id, external_id, url };
      // An earlier attempt may have written the record. Pulls since then have ignored the record's
      // changes, because its external id was unknown. So store no version, and read the streams
      // again from the time of the first attempt. An operation may have waited for long before.
      const { taken } = await storeExternalIds(tx, [{ ...id, version: mayHaveArrived ? null : version }]);
      if (taken > 0) commands.push(buildIssue(operation, 'conflict', TAKEN_ID));
      const compared = await kind.compareWritten?.(tx, step, { operation, accepted: outcome });
      commands.push(...(compared?.commands ?? []));
      if (compared && compared.left.length > 0) {
        await storeExternalIds(tx, [{ ...id, version: null }]);
        const hints = [kind.toHint?.(external_id) ?? external_id];
        await readLater(tx, step.connection, { stream: findKindStream(kindName), hints, inMs: LEFT_WAIT_MS });
      }
      if (mayHaveArrived)
        await makeStreamsDue(tx, [
          { tenant_id, id: connection_id, stream: null, since: startOfReads(operation) },
        ]);
      return commands;
    },
  };
}

/** The time of the first attempt, less what the vendor's clock may be late. */
function startOfReads({ first_attempt_at }: StartedOperation): string {
  return new Date(Date.parse(first_attempt_at) - CLOCK_SKEW_MS).toISOString();
}

type CancelledWrite = Extract<WriteOutcome, { cancelled: string }>;

/**
 * Ends an operation that must not be attempted again. Opens a sync issue only if an earlier attempt
 * may have reached the vendor.
 */
export function planCancellation(
  operation: StartedOperation,
  { cancelled, mayHaveArrived, code = 'cancelled' }: CancelledWrite,
): PlannedResult {
  const reason = mayHaveArrived
    ? `${cancelled} It may have left before: the vendor did not answer an earlier attempt.`
    : cancelled;
  const issues = mayHaveArrived ? [buildIssue(operation, 'exhausted', reason)] : [];
  return plan(operation, {
    result: { state: 'dead', error: reason, errorKind: 'cancelled', mayHaveArrived },
    commands: [
      ...issues,
      ...findRecordKind(operation.kind).buildFailure(operation, { reason, code, mayHaveArrived }),
    ],
    error: null,
  });
}

interface Failure {
  result: OperationResult;
  error: VendorError | null;
  commands?: StepCommand[];
}

function plan(operation: StartedOperation, { result, error, commands = [] }: Failure): PlannedResult {
  return {
    error,
    async store(tx) {
      storeOperationResult(tx, operation, result);
      return commands;
    },
  };
}

/** Plans how to store a failed write: as a later attempt, or as given up with a sync issue. */
export function planFailure(step: Step, operation: StartedOperation, error: VendorError): PlannedResult {
  const { kind, message, retryAfterMs = 0 } = error;
  const base = { state: 'due', error: message, errorKind: kind } as const;
  // If an earlier attempt got no response, the vendor may have the record, even if this attempt
  // failed.
  const wasUnknown = operation.may_have_arrived;
  if (kind === 'limit')
    return plan(operation, {
      error,
      result: {
        ...base,
        retryInMs: retryAfterMs || DEFAULT_LIMIT_WAIT_MS,
        mayHaveArrived: wasUnknown,
        isCounted: false,
      },
    });
  if (kind === 'auth') return planRefusedAccess(step, operation, error);
  const issue = findIssueKind(operation, error);
  if (issue === undefined)
    return plan(operation, {
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
  return plan(operation, {
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
function planRefusedAccess(step: Step, operation: StartedOperation, error: VendorError): PlannedResult {
  const canRefresh = step.planTokenRefresh(error);
  return plan(operation, {
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
