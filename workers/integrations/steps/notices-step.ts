import { failpoint } from '../../../shared/config/failpoints.js';
import { toStorable } from '../../../shared/platform/storable-text.js';
import { endNotices, type WaitingNotices } from '../../../shared/sync/notice-rows.js';
import { makeStreamsDue } from '../../../shared/sync/stream-rows.js';
import { findStreamKind } from '../records/record-kinds.js';
import { recordChanges, recordRun, storeChanges } from '../records/store-changes.js';
import { type Step, type StepCommand, toStepError } from '../vendor/step.js';

/**
 * Reads the records that items of webhooks named, and stores what changed. Items whose changes
 * came too early stay, and are read again later.
 */
export async function readNotices(step: Step, notices: WaitingNotices): Promise<void> {
  const startedAt = new Date();
  try {
    await storeNamed(step, notices, startedAt);
  } catch (cause) {
    await storeFailure(step, notices, { error: toStepError(step, cause), startedAt });
  }
}

async function storeNamed(step: Step, notices: WaitingNotices, startedAt: Date): Promise<void> {
  const { stream, items } = notices;
  const hints = [...new Set(items.map(({ hint }) => hint))];
  const kind = findStreamKind(stream);
  const changes = kind.readNamed ? toStorable(await kind.readNamed(step, hints)) : [];
  const { config } = step.services.runtime;
  failpoint(config, 'before_notices_stored');
  const commands: StepCommand[] = [];
  await step.finish({
    commands,
    async store(tx) {
      const stored = await storeChanges(tx, step, { kind, changes });
      commands.push(...stored.commands);
      const early = new Set(stored.early.map(({ externalId }) => externalId));
      endNotices(
        tx,
        step.connection,
        items.filter(({ hint }) => !early.has(hint)),
      );
      if (!kind.readNamed) await makeStreamDue(step, tx, stream);
      recordChanges(tx, step, { stream, startedAt, ...stored });
    },
  });
  failpoint(config, 'after_notices_stored');
}

function makeStreamDue({ connection }: Step, tx: Parameters<typeof makeStreamsDue>[0], stream: string) {
  return makeStreamsDue(tx, [{ tenant_id: connection.tenantId, id: connection.connectionId, stream }]);
}

/**
 * Stores a failed read. If the vendor would refuse the same read again, the regular pull of the
 * stream has to find the change.
 */
async function storeFailure(
  step: Step,
  notices: WaitingNotices,
  { error, startedAt }: { error: ReturnType<typeof toStepError>; startedAt: Date },
): Promise<void> {
  const isFinal = error.kind === 'refused' || error.kind === 'gone' || error.kind === 'conflict';
  const canRefresh = step.planTokenRefresh(error);
  await step.finish({
    error: canRefresh ? null : error,
    async store(tx) {
      recordRun(tx, step, { stream: notices.stream, startedAt, state: 'failed', error: error.message });
      if (!isFinal) return;
      endNotices(tx, step.connection, notices.items);
      await makeStreamDue(step, tx, notices.stream);
    },
  });
}
