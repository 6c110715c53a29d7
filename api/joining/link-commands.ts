import type { Command, CommandDefinition, CommandResult } from '../../shared/contracts/command.js';
import { AppError, appErrorFromBody, serviceUnavailable } from '../../shared/platform/errors.js';
import { describeOrigin } from '../middleware/write.js';
import type { ApiContext } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';

/** Creates the error for a link that does not work. Its text is the same for every reason. */
export function brokenLink(): AppError {
  return new AppError('not_found', 'This link does not work any more. Ask for a new one.');
}

interface LinkWrite<Input> {
  definition: CommandDefinition<Input>;
  /** The account, and the person who has the link. */
  tenantId: string;
  actor: { id: string; name: string | null };
  entityId: string;
  input: Input;
}

/**
 * Submits a command of a person whose only credential is a mailed link. Resolves after the commit.
 * @throws {AppError} 503 if there is no result in time; the command may then still run
 */
export async function submitByLink<Input>(
  api: ApiRuntime,
  ctx: ApiContext,
  { definition, tenantId, actor, entityId, input }: LinkWrite<Input>,
): Promise<Extract<CommandResult, { ok: true }>> {
  const author = {
    id: actor.id,
    kind: 'user',
    name: actor.name ?? '',
    tenantId,
    environment: 'live',
  } as const;
  const command: Command<Input> = {
    ...describeOrigin(ctx, author),
    type: definition.type,
    entityId,
    input,
    dryRun: false,
    unknownFields: [],
    idempotency: null,
  };
  const submitted = await api.submit(command, 0);
  if ('accepted' in submitted) throw serviceUnavailable('This took too long. Try again shortly.');
  if (submitted.ok) return submitted;
  if (submitted.error.code === 'not_found') throw brokenLink();
  throw appErrorFromBody(submitted.error);
}
