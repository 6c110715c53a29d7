import type { Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { diffPatch } from '../../records/changes.js';
import { lockRecords, nextUpdatedAtSql } from '../../records/lock-records.js';
import { failedOutcome, notFoundOutcome } from '../../records/outcomes.js';
import { type RecordRef, recordsetSql, refKey, toRecordRef } from '../../records/record-refs.js';
import type { TemplateChange } from './commands.js';
import { DEFAULT_TEXTS, listUnknownPlaceholders } from './vocabulary.js';

interface TemplateRow extends RecordRef {
  [column: string]: unknown;
  text: string;
  enabled: boolean;
}

/** Stores changed templates. A template's row is created at its first change. */
async function updateTemplates(
  tx: Transaction,
  commands: Command<TemplateChange>[],
): Promise<CommandOutcome[]> {
  const rows = await lockRecords<TemplateRow>(tx, 'message_templates', commands.map(toRecordRef));
  const stored: (TemplateRow & { key: string })[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const { key, ...change } = command.input;
    if (key === undefined) return notFoundOutcome('message template');
    const refusal = checkText(change.text);
    if (refusal) return refusal;
    const ref = toRecordRef(command);
    const row = rows.get(refKey(ref)) ?? { ...ref, text: DEFAULT_TEXTS[key], enabled: false };
    const next = { ...row, ...change, key };
    rows.set(refKey(ref), next);
    stored.push(next);
    return { ok: true, changes: diffPatch(row, change), events: [] };
  });
  if (stored.length > 0)
    await tx.query({
      name: 'store-templates',
      text: `insert into message_templates as t (tenant_id, id, key, text, enabled)
             select tenant_id, id, key, text, enabled from ${recordsetSql('tenant_id uuid, id uuid, key text, text text, enabled boolean')}
             on conflict (tenant_id, id) do update set text = excluded.text, enabled = excluded.enabled, updated_at = ${nextUpdatedAtSql('t')}`,
      values: [JSON.stringify(stored)],
    });
  return outcomes;
}

function checkText(text: string | undefined): CommandOutcome | undefined {
  const unknown = listUnknownPlaceholders(text ?? '');
  if (unknown.length === 0) return undefined;
  const details = unknown.map((name) => ({
    field: 'text',
    code: 'unknown_placeholder',
    message: `text contains {${name}}, which stands for nothing`,
  }));
  return failedOutcome({ code: 'validation_error', message: `${details[0]?.message}.`, details });
}

export const messageTemplateHandlers: CommandHandlers = { 'message_template.update': updateTemplates };
