import type { Principal } from '../../shared/contracts/principal.js';
import { AppError } from '../../shared/platform/errors.js';
import { readFactorState } from '../../shared/resources/factors/queries.js';
import type { ApiRuntime } from './runtime.js';

/**
 * Asks a signed-in person for a second factor again before a change that could give an attacker
 * lasting access. Never asks keys, or people without a second factor.
 * @throws {AppError} 403 factor_required
 */
export async function assertRecentFactor({ db }: Pick<ApiRuntime, 'db'>, key: Principal): Promise<void> {
  if (!key.session) return;
  const { has_factor: hasFactor, is_proved: isProved } = await readFactorState(db, key);
  if (!hasFactor || isProved) return;
  throw new AppError(
    'factor_required',
    'Confirm that it is you: prove a second factor by POST /session/confirm, then send this again.',
  );
}

/** The function `isSensitive` for a write that is sensitive with any input. */
export const isAlwaysSensitive = (): boolean => true;
