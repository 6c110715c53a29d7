import type { Change } from '../../../shared/integrations/contract/connection.js';
import type { ReaderState } from '../../../shared/integrations/contract/terminal.js';
import { newId } from '../../../shared/platform/ids.js';
import {
  type ReaderReport,
  recordTerminalReader,
} from '../../../shared/resources/terminal-readers/commands.js';
import { readConnectionReaders } from '../../../shared/resources/terminal-readers/queries.js';
import type { Step } from '../vendor/step.js';
import { getPayments } from './pay-links.js';
import type { RecordKind } from './record-kind.js';

type KnownReader = Omit<ReaderState, 'status'> & { status: ReaderReport['status'] };

/** The record kind `terminal_reader`. A read finds all card readers in the vendor's list. */
export const readerRecords: RecordKind<KnownReader> = {
  write: () => Promise.reject(new Error('readers are not written by operations')),
  storeAcceptance: () => undefined,
  buildSuccess: () => [],
  buildFailure: () => [],
  async pull(step) {
    const { terminal } = getPayments(step);
    const found = await terminal?.listReaders(await step.open());
    const changes = found ? [...found, ...(await listRemoved(step, found))] : [];
    return { changes, cursor: '', isLast: true };
  },
  adopt: () => newId(),
  buildChanges(changes) {
    const observed_at = new Date().toISOString();
    return changes.map(({ change: { externalId, fields }, id }) => ({
      type: recordTerminalReader.type,
      entityId: id.local_id,
      input: {
        external_id: externalId,
        label: fields.label,
        device_type: fields.deviceType,
        status: fields.status,
        observed_at,
      } satisfies ReaderReport,
    }));
  },
};

/** Builds changes for the stored readers that the vendor no longer lists. */
async function listRemoved(
  { db, connection }: Step,
  found: readonly Change<ReaderState>[],
): Promise<Change<KnownReader>[]> {
  const listed = new Set(found.map(({ externalId }) => externalId));
  const stored = await readConnectionReaders(db, connection);
  return stored
    .filter(({ external_id }) => !listed.has(external_id))
    .map(({ external_id: externalId, label, device_type: deviceType }) => ({
      kind: 'terminal_reader',
      externalId,
      version: 'removed',
      fields: { label, deviceType, status: 'removed' },
    }));
}
