import type { Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { TextConsentCreate } from '../../contracts/generated.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { diffNewRecord } from '../../records/changes.js';
import { failedOutcome } from '../../records/outcomes.js';
import { isPhoneNumber, toPhoneKey } from './phone-key.js';
import { deleteConsent, storeConsents } from './store.js';

/**
 * Replaces the consents of numbers. Deletes the old row and inserts a new one, so that the consent
 * has the id of the command.
 */
async function setConsents(
  tx: Transaction,
  commands: Command<TextConsentCreate>[],
): Promise<CommandOutcome[]> {
  const outcomes: CommandOutcome[] = [];
  for (const command of commands) {
    const { tenantId: tenant_id, entityId: id, input } = command;
    const phoneKey = toPhoneKey(input.number);
    if (!isPhoneNumber(input.number)) {
      const message = 'number must be a phone number';
      const details = [{ field: 'number', code: 'invalid', message }];
      outcomes.push(failedOutcome({ code: 'validation_error', message: `${message}.`, details }));
      continue;
    }
    await deleteConsent(tx, { tenant_id, phoneKey });
    await storeConsents(tx, [{ tenant_id, id, ...input, source: 'person' }]);
    outcomes.push({ ok: true, changes: diffNewRecord(input), events: [] });
  }
  return outcomes;
}

export const textConsentHandlers: CommandHandlers = { 'text_consent.create': setConsents };
