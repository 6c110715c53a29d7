import type { Command, CommandOutcome } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { WEBHOOKS_QUEUE } from '../../queues/webhooks.js';
import { failedOutcome, notFoundOutcome } from '../../records/outcomes.js';
import { refKey, toRecordRef } from '../../records/record-refs.js';
import type { SecretRotation } from './commands.js';
import { ENDPOINT_LABEL, type EndpointRow, lockEndpoints, storeEndpoints } from './endpoint-rows.js';
import { countSigningSecrets, expireSecrets, insertSecrets, type SigningCounts } from './secret-rows.js';

/**
 * Maximum number of old secrets per endpoint. Each secret signs every delivery, and all signatures
 * share one header. The limit keeps this header short.
 */
const MAX_OLD_SECRETS = 5;

type RotateCommand = Command<SecretRotation>;

/**
 * Gives endpoints new secrets. An old secret signs until the overlap ends or until the secret
 * expires, whichever is earlier.
 */
export async function rotateWebhookSecrets(
  tx: Transaction,
  commands: RotateCommand[],
): Promise<CommandOutcome[]> {
  const rows = await lockEndpoints(tx, commands.map(toRecordRef));
  const signing = await countSigningSecrets(tx, [...rows.values()]);
  const refused = new Map<RotateCommand, CommandOutcome>();
  for (const command of commands) {
    const row = rows.get(refKey(toRecordRef(command)));
    if (!row) refused.set(command, notFoundOutcome(ENDPOINT_LABEL));
    else if (hasTooManySecrets(command, signing(row))) refused.set(command, buildTooManyError());
  }
  const rotating = commands.filter((command) => !refused.has(command));
  await expireSecrets(
    tx,
    rotating.map((command) => ({ ...toRecordRef(command), hours: command.input.overlap_hours })),
  );
  await insertSecrets(
    tx,
    rotating.map((command) => {
      const { material, pair } = command.input;
      const ref = toRecordRef(command);
      return { ref, material, pair: signing(ref).v1a > 0 ? pair : undefined };
    }),
  );
  await storeEndpoints(
    tx,
    rotating.map((command) => ({
      row: rows.get(refKey(toRecordRef(command))) as EndpointRow,
      set: {},
      changes: listChanges(command),
    })),
  );
  return commands.map((command) => refused.get(command) ?? buildOutcome(command));
}

/**
 * True if the endpoint would have too many old secrets after the rotation. `v1` counts the current
 * secret too, because the rotation makes the current secret an old secret.
 */
function hasTooManySecrets({ input }: RotateCommand, { v1 }: SigningCounts): boolean {
  return input.overlap_hours > 0 && v1 > MAX_OLD_SECRETS;
}

function listChanges({ input }: RotateCommand) {
  return [
    { field: 'secret', from: null, to: 'changed' },
    { field: 'overlap_hours', from: null, to: input.overlap_hours },
  ];
}

function buildOutcome(command: RotateCommand): CommandOutcome {
  return {
    ok: true,
    responseExtra: { secret: command.dryRun ? null : command.input.material.sealed },
    changes: listChanges(command),
    events: [],
    prompts: [{ queue: WEBHOOKS_QUEUE, id: command.entityId }],
  };
}

function buildTooManyError(): CommandOutcome {
  return failedOutcome({
    code: 'conflict',
    message: `${MAX_OLD_SECRETS} old secrets of this endpoint still sign. Wait until one has expired, or rotate with overlap_hours 0, which drops them all.`,
  });
}
