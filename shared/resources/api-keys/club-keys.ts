import type { CommandOutcome } from '../../contracts/command.js';
import { failedOutcome } from '../../records/outcomes.js';

interface Rights {
  permissions: readonly string[];
  read_only: boolean;
}

/**
 * Refuses `club_offers` beside other rights, because a motor club must not read the account. A
 * read-only key would get the permission `read`.
 */
export function refuseMixedRights({ permissions, read_only }: Rights): CommandOutcome | undefined {
  const isMixed = permissions.includes('club_offers') && (permissions.length > 1 || read_only);
  if (!isMixed) return undefined;
  const message = "A motor club's key has club_offers as its only permission, and is not read-only";
  return failedOutcome({
    code: 'validation_error',
    message: `${message}.`,
    details: [{ field: 'permissions', code: 'not_alone', message }],
  });
}
