import type { Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { SettingsPatch } from '../../contracts/generated.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { lockRecords } from '../../records/lock-records.js';
import { planMerge } from '../../records/merge-records.js';
import { failedOutcome, notFoundOutcome } from '../../records/outcomes.js';
import { refKey, toRecordRef } from '../../records/record-refs.js';
import { rescheduleForTimeZones } from '../export-schedules/schedule-rows.js';
import { findFactorOwners } from '../factors/factor-rows.js';
import { mergeTenants } from '../tenants/update-tenants.js';
import { removeLogos, setLogos } from './logo-handlers.js';
import { isPostgresTimeZone } from './time-zones.js';

/**
 * Merges changes into the settings. Existing invoices keep their tax rate. If the time zone
 * changes, export schedules move to the new zone.
 */
export async function updateSettings(
  tx: Transaction,
  commands: Command<SettingsPatch>[],
): Promise<CommandOutcome[]> {
  const unknownZones = await findUnknownZones(tx, commands);
  const forbidden = await findForbiddenRequirements(tx, commands);
  const rows = await lockRecords<Row>(tx, 'tenants', commands.map(toRecordRef));
  const outcomes = await mergeTenants(tx, commands, (command) => {
    const row = rows.get(refKey(toRecordRef(command)));
    if (unknownZones.has(command)) return failUnknownZone(command);
    if (!row) return notFoundOutcome('account');
    // Allow an unchanged value, because a client may send back all settings that it has read.
    const changesRequirement = command.input.require_factor !== row.require_factor;
    if (forbidden.has(command) && changesRequirement) return failRequirement();
    return planMerge(row, command.input);
  });
  const moved = commands.filter((_, index) => {
    const outcome = outcomes[index];
    return outcome?.ok && outcome.changes.some(({ field }) => field === 'time_zone');
  });
  await rescheduleForTimeZones(
    tx,
    moved.map(({ tenantId }) => tenantId),
  );
  return outcomes;
}

/**
 * Finds the commands whose time zone is unknown to PostgreSQL. With such a zone, every sweep that
 * computes the account's local time would fail.
 */
async function findUnknownZones(
  tx: Transaction,
  commands: Command<SettingsPatch>[],
): Promise<Set<Command<SettingsPatch>>> {
  const unknown = new Set<Command<SettingsPatch>>();
  for (const command of commands) {
    const { time_zone: zone } = command.input;
    if (zone !== undefined && !(await isPostgresTimeZone(tx, zone))) unknown.add(command);
  }
  return unknown;
}

/**
 * Finds the commands that may not change `require_factor`. A key may not change it. Otherwise an
 * attacker with a key and a stolen password could sign in without a factor. A person without a
 * factor may not change it, because that person would be locked out.
 */
async function findForbiddenRequirements(
  tx: Transaction,
  commands: Command<SettingsPatch>[],
): Promise<Set<Command<SettingsPatch>>> {
  const changing = commands.filter(({ input }) => input.require_factor !== undefined);
  if (changing.length === 0) return new Set();
  const owners = await findFactorOwners(tx, changing.map(toActorRef));
  const isAllowed = (command: Command<SettingsPatch>) =>
    command.environment === 'live' &&
    command.actor.type === 'user' &&
    owners.has(refKey(toActorRef(command)));
  return new Set(changing.filter((command) => !isAllowed(command)));
}

const toActorRef = ({ tenantId, actor }: Command) => ({ tenant_id: tenantId, id: actor.id ?? tenantId });

function failRequirement(): CommandOutcome {
  return failedOutcome({
    code: 'forbidden',
    message:
      'Only a signed-in person who has a second factor changes require_factor, and only in the live account.',
  });
}

function failUnknownZone({ input }: Command<SettingsPatch>): CommandOutcome {
  const message = `time_zone must be an IANA time zone, such as America/New_York; ${input.time_zone} is none`;
  return failedOutcome({
    code: 'validation_error',
    message: `${message}.`,
    details: [{ field: 'time_zone', code: 'timeZone', message }],
  });
}

export const settingsHandlers: CommandHandlers = {
  'settings.update': updateSettings,
  'settings.set_logo': setLogos,
  'settings.remove_logo': removeLogos,
};
