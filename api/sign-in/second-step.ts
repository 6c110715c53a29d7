import type { FactorSignIn } from '../../shared/contracts/generated.js';
import { AppError } from '../../shared/platform/errors.js';
import { newId } from '../../shared/platform/ids.js';
import { findNetworkPrefix } from '../../shared/platform/limits/network-prefix.js';
import { refuseCredential } from '../../shared/resources/api-keys/credential-cache.js';
import { readFactors, type StoredFactor } from '../../shared/resources/factors/queries.js';
import { isKnownAddress } from '../../shared/resources/sessions/known-addresses.js';
import { markPassword } from '../../shared/resources/sessions/password-mark.js';
import { readSignInCandidate, type SignInCandidate } from '../../shared/resources/sessions/queries.js';
import { checkProof, type GivenProof } from '../factors/check-proof.js';
import { buildRequestOptions, createPasskeyChallenge } from '../factors/passkeys.js';
import { findRelyingParty } from '../factors/relying-party.js';
import { describeOrigin } from '../middleware/write.js';
import type { ApiContext } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';
import { countFactorTry } from '../runtime/sign-in-limits.js';
import { startSession } from './start-session.js';

/**
 * Asks for the second factor after the right password. If the person has no second factor, returns
 * without an error, and the caller signs the person in.
 * @throws {AppError} 403 factor_required, with a challenge for the second step
 */
export async function askForFactor(api: ApiRuntime, ctx: ApiContext, person: SignInCandidate): Promise<void> {
  const factors = await readFactors(api.db, person);
  if (!hasFactor(factors)) return;
  const passkey = createPasskeyChallenge();
  const sealed = api.factors.signIns.seal({
    tenant_id: person.tenant_id,
    user_id: person.id,
    password_mark: markPassword(person),
    session_id: newId(),
    passkey,
  });
  ctx.set('Cache-Control', 'no-store');
  throw new AppError('factor_required', 'The password is right. Now prove a second factor.', {
    details: [{ ...sealed, ...(await describeWays(api, ctx, { factors, challenge: passkey })) }],
  });
}

function hasFactor(factors: StoredFactor[]): boolean {
  return factors.some(({ kind, is_pending: isPending }) => kind !== 'recovery_codes' && !isPending);
}

/**
 * Returns the kinds of factors that can answer a challenge, with the options that a passkey needs.
 */
export async function describeWays(
  api: ApiRuntime,
  ctx: ApiContext,
  { factors, challenge }: { factors: StoredFactor[]; challenge: string },
) {
  const confirmed = factors.filter(({ is_pending: isPending }) => !isPending);
  const party = findRelyingParty(api.config, ctx.get('Host'));
  const passkeys = confirmed.filter(({ kind }) => kind === 'passkey');
  const isUsable = ({ kind, code_hashes: codes }: StoredFactor) =>
    kind === 'passkey' ? party !== undefined : kind === 'totp' || (codes?.length ?? 0) > 0;
  return {
    kinds: [...new Set(confirmed.filter(isUsable).map(({ kind }) => kind))],
    passkey:
      party && passkeys.length > 0
        ? await buildRequestOptions(party, { challenge, factors: passkeys })
        : null,
  };
}

/**
 * Runs the second step of a sign-in.
 * @throws {AppError} 401 if the first step is no longer valid; 400 for a wrong proof; 429 for too
 *   many tries
 */
export async function finishSignIn(api: ApiRuntime, ctx: ApiContext, given: FactorSignIn): Promise<void> {
  const refuse = () =>
    refuseCredential(api, ctx.ip, 'This sign-in has ended. Begin again with your password.');
  const opened = api.factors.signIns.open(given.challenge) ?? (await refuse());
  const ref = { tenant_id: opened.tenant_id, id: opened.user_id };
  const person = await readSignInCandidate(api.db, ref);
  if (!person || markPassword(person) !== opened.password_mark) return refuse();
  await countFactorTry(api.limiter, nameTries(api, ctx, person));
  const context = {
    userId: person.id,
    factors: await readFactors(api.db, ref),
    challenge: opened.passkey,
    party: findRelyingParty(api.config, ctx.get('Host')),
  };
  const proof = await checkProof(api.factors.key, given as GivenProof, context).catch(
    async (error: unknown) => {
      if (error instanceof AppError) await recordRefusal(api, ctx, { person, error });
      throw error;
    },
  );
  return startSession(api, ctx, { person, second: { proof, sessionId: opened.session_id } });
}

/**
 * Stores an audit entry, because a wrong proof may come from an attacker who knows the password.
 * The limit for tries also limits the number of entries.
 */
async function recordRefusal(
  api: ApiRuntime,
  ctx: ApiContext,
  { person, error }: { person: SignInCandidate; error: AppError },
): Promise<void> {
  const actor = { id: person.id, kind: 'user', name: person.name } as const;
  await api.audit.record({
    ...describeOrigin(ctx, { ...actor, tenantId: person.tenant_id, environment: 'live' }),
    action: 'session.factor_refused',
    entityType: 'session',
    entityId: null,
    outcome: 'denied',
    changes: null,
    error: error.toBody(),
    responseStatus: error.status,
    idempotencyKey: null,
  });
}

/**
 * Returns the name of the counter of the person's tries. Each network from which the person has
 * signed in before has its own counter. So an attacker who has the password cannot use up the
 * person's tries.
 */
function nameTries(api: ApiRuntime, ctx: ApiContext, person: SignInCandidate): string {
  const isKnown = isKnownAddress(
    person.sign_in_addresses,
    api.passwords.hashNetwork(person, ctx.ip),
    Date.now(),
  );
  return `${person.id}/${isKnown ? findNetworkPrefix(ctx.ip) : 'unknown'}`;
}
