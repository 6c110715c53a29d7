import type { Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { nextUpdatedAtSql } from '../../records/lock-records.js';
import { parseColumnNames, recordsetSql, toRecordRef } from '../../records/record-refs.js';
import type { ReaderReport } from './commands.js';

const COLUMNS = `tenant_id uuid, id uuid, connection_id uuid, external_id text, label text, device_type text, status text,
  observed_at timestamptz`;
const NAMES = parseColumnNames(COLUMNS).join(', ');

/**
 * Stores vendors' reports about card readers. Ignores a report that is older (`observed_at`) than
 * the stored report.
 */
async function recordReaders(tx: Transaction, commands: Command<ReaderReport>[]): Promise<CommandOutcome[]> {
  await tx.query({
    name: 'store-terminal-readers',
    text: `insert into terminal_readers as t (${NAMES}) select ${NAMES} from ${recordsetSql(COLUMNS)} order by tenant_id, id
           on conflict (tenant_id, id) do update set label = excluded.label, device_type = excluded.device_type,
             status = excluded.status, observed_at = excluded.observed_at, updated_at = ${nextUpdatedAtSql('t')}
           where t.observed_at <= excluded.observed_at`,
    values: [
      JSON.stringify(
        commands.map((command) => ({
          ...command.input,
          ...toRecordRef(command),
          connection_id: command.actor.id,
        })),
      ),
    ],
  });
  return commands.map(({ input: { label, status } }) => ({
    ok: true,
    changes: [
      { field: 'label', from: null, to: label },
      { field: 'status', from: null, to: status },
    ],
    events: [],
  }));
}

export const terminalReaderHandlers: CommandHandlers = { 'terminal_reader.record': recordReaders };
