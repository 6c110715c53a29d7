import type { Command } from '../../shared/contracts/command.js';
import type { FactorConfirm, FactorCreate } from '../../shared/contracts/generated.js';
import { createValidationError } from '../../shared/contracts/schemas/validate.js';
import { seal, unseal } from '../../shared/platform/crypto.js';
import { AppError } from '../../shared/platform/errors.js';
import type { FactorConfirmation, NewCodes, NewFactor } from '../../shared/resources/factors/commands.js';
import { createWrongProofError } from '../../shared/resources/factors/proofs.js';
import { readFactorState, readFactors, type StoredFactor } from '../../shared/resources/factors/queries.js';
import { buildCreationOptions, checkNewPasskey } from '../factors/passkeys.js';
import { createRecoveryCodes, unsealRecoveryCodes } from '../factors/recovery-codes.js';
import { findRelyingParty, type RelyingParty } from '../factors/relying-party.js';
import { createTotp, findTimeStep } from '../factors/totp.js';
import type { ApiContext } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';
import { countFactorTry } from '../runtime/sign-in-limits.js';

const getSessionId = ({ state: { key } }: ApiContext) => key.session?.id as string;
const getPerson = ({ state: { key } }: ApiContext) => ({ tenant_id: key.tenantId, id: key.id });

/**
 * Creates the functions of the routes that change a person's factors. They keep every secret in
 * this process: commands contain encrypted secrets and hashes.
 */
export function createFactorTransforms(api: ApiRuntime) {
  const createCodes = (ctx: ApiContext) => createRecoveryCodes(api.factors.key, ctx.state.key.id);
  return {
    async prepareNewFactor(input: NewFactor, ctx: ApiContext): Promise<NewFactor> {
      const { kind, name, password } = input as unknown as FactorCreate;
      const { has_factor: hasFactor, email } = await readFactorState(api.db, ctx.state.key);
      if (!hasFactor) await assertPassword(api, ctx, { email, password });
      const base = { kind, name, session_id: getSessionId(ctx) };
      if (kind === 'passkey') return { ...base, ...(await preparePasskey(api, ctx, email)) };
      const { key } = api.factors;
      const { secret, uri } = createTotp(email);
      return { ...base, secret_sealed: seal(key, secret), uri_sealed: seal(key, uri) };
    },

    showNewFactor(body: string, { input, dryRun }: Command<NewFactor>): string {
      // If the worker's reply was lost, `body` is the stored record, which has none of these
      // members.
      const { secret_sealed = null, uri_sealed = null, passkey = null } = input;
      const {
        secret_sealed: secret,
        uri_sealed: uri,
        passkey: options,
        ...factor
      } = {
        ...{ secret_sealed, uri_sealed, passkey },
        ...(JSON.parse(body) as Record<'secret_sealed' | 'uri_sealed', string | null> & { passkey: object }),
      };
      const open = (sealed: string | null) => (sealed && !dryRun ? unseal(api.factors.key, sealed) : null);
      return JSON.stringify({
        ...factor,
        secret: open(secret),
        otpauth_uri: open(uri),
        passkey: dryRun ? null : options,
      });
    },

    async prepareConfirmation(input: FactorConfirmation, ctx: ApiContext): Promise<FactorConfirmation> {
      await countFactorTry(api.limiter, `session/${getSessionId(ctx)}`);
      const factors = await readFactors(api.db, getPerson(ctx));
      const pending = factors.find(({ id, is_pending: isPending }) => isPending && id === ctx.state.targetId);
      const base = { session_id: getSessionId(ctx), codes: createCodes(ctx) };
      // Without a factor that waits for confirmation, the handler refuses the command.
      if (!pending) return base;
      const given = input as unknown as FactorConfirm;
      return {
        ...base,
        ...(await checkConfirmation(api.factors.key, given, {
          pending,
          party: findRelyingParty(api.config, ctx.get('Host')),
        })),
      };
    },

    prepareCodes: (_input: { codes: NewCodes }, ctx: ApiContext) => ({ codes: createCodes(ctx) }),

    showCodes(body: string, { dryRun }: Command<{ codes: NewCodes }>): string {
      const { codes_sealed: sealed, ...factor } = JSON.parse(body) as { codes_sealed?: string | null };
      return JSON.stringify({
        ...factor,
        recovery_codes: sealed && !dryRun ? unsealRecoveryCodes(api.factors.key, sealed) : null,
      });
    },
  };
}

/**
 * Asks for the password before a person adds a first factor. Otherwise an attacker with a stolen
 * session could add a factor and lock the person out.
 * @throws {AppError} 400 if the password is missing or wrong; 429 after too many tries
 */
async function assertPassword(
  api: ApiRuntime,
  ctx: ApiContext,
  { email, password }: { email: string; password: string | undefined },
): Promise<void> {
  const refuse = (code: string, message: string) =>
    createValidationError([{ field: 'password', code, message: `password ${message}` }]);
  if (password === undefined) throw refuse('required', 'is required for the first factor');
  const { tenantId, id } = ctx.state.key;
  const found = await api.passwords.findPerson({ email, password, tenant_id: tenantId }, ctx.ip);
  if (found?.id !== id) throw refuse('wrong', 'is wrong');
}

async function preparePasskey(api: ApiRuntime, ctx: ApiContext, email: string) {
  const party = findRelyingParty(api.config, ctx.get('Host'));
  if (!party)
    throw new AppError(
      'conflict',
      'Browsers have passkeys for host names alone, and this page has an IP address. Use an authenticator app.',
    );
  const { id, name } = ctx.state.key;
  const factors = await readFactors(api.db, getPerson(ctx));
  const passkey = await buildCreationOptions(party, { person: { id, name, email }, factors });
  return { challenge: passkey.challenge, passkey };
}

/** @throws {AppError} 400 for a wrong code or passkey */
async function checkConfirmation(
  key: Buffer,
  given: FactorConfirm,
  { pending, party }: { pending: StoredFactor; party: RelyingParty | undefined },
): Promise<Pick<FactorConfirmation, 'last_step' | 'passkey'>> {
  if (pending.kind === 'totp') {
    const timeStep = given.code && findTimeStep(unseal(key, pending.secret_sealed as string), given.code);
    if (timeStep) return { last_step: timeStep };
  } else if (given.passkey && party) {
    const challenge = pending.challenge as string;
    const passkey = await checkNewPasskey(party, { response: given.passkey, challenge });
    if (passkey) return { passkey };
  }
  throw createWrongProofError(pending.kind);
}
