import { createValidationError } from '../../shared/contracts/schemas/validate.js';
import { deriveKey } from '../../shared/platform/crypto.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import { createWrongProofError } from '../../shared/resources/factors/proofs.js';
import type { StoredFactor } from '../../shared/resources/factors/queries.js';
import type { CheckedProof } from '../../shared/resources/sessions/commands.js';
import { PROOF_KINDS, PROOF_MEMBERS, type ProofKind } from '../../shared/resources/sessions/factor-kinds.js';
import {
  type Challenges,
  createChallenges,
  type SessionChallenge,
  type SignInChallenge,
  tryUnseal,
} from './challenges.js';
import { checkPasskey } from './passkeys.js';
import { hashRecoveryCode } from './recovery-codes.js';
import type { RelyingParty } from './relying-party.js';
import { findTimeStep } from './totp.js';

/** The keys and challenges of second factors. */
export interface Factors {
  /** The key that encrypts the secrets of authenticator apps and hashes recovery codes. */
  key: Buffer;
  signIns: Challenges<SignInChallenge>;
  sessions: Challenges<SessionChallenge>;
}

export function createFactors({ config: { secretKey } }: Pick<Runtime, 'config'>): Factors {
  return {
    key: deriveKey(secretKey, 'factors'),
    signIns: createChallenges(secretKey, 'sign-in-challenges'),
    sessions: createChallenges(secretKey, 'session-challenges'),
  };
}

/** A proof from a client. It must have exactly one of these members. */
export interface GivenProof {
  code?: string;
  recovery_code?: string;
  passkey?: object;
}

export interface ProofContext {
  userId: string;
  /** The person's second factors. */
  factors: StoredFactor[];
  /** The value that a passkey must have signed. Undefined if there was no challenge. */
  challenge: string | undefined;
  party: RelyingParty | undefined;
}

/**
 * Checks a proof. The command that receives the result marks the proof as used.
 * @throws {AppError} 400 if the proof is wrong, or if it does not have exactly one member
 */
export async function checkProof(
  key: Buffer,
  given: GivenProof,
  context: ProofContext,
): Promise<CheckedProof> {
  const kind = findKind(given);
  const usable = context.factors.filter((factor) => factor.kind === kind && !factor.is_pending);
  for (const factor of usable) {
    const found = await CHECKS[kind](key, given, { ...context, factor });
    if (found) return { kind, factor_id: factor.id, ...found };
  }
  throw createWrongProofError(kind);
}

function findKind(given: GivenProof): ProofKind {
  const [kind, ...others] = PROOF_KINDS.filter((one) => given[PROOF_MEMBERS[one]] !== undefined);
  if (kind && others.length === 0) return kind;
  const message = 'Send exactly one of code, recovery_code and passkey';
  throw createValidationError([{ field: '', code: 'exactly_one', message }]);
}

type Check = (
  key: Buffer,
  given: GivenProof,
  context: ProofContext & { factor: StoredFactor },
) => Promise<Pick<CheckedProof, 'step' | 'counter' | 'hash'> | undefined>;

const CHECKS: Record<ProofKind, Check> = {
  totp: async (key, { code = '' }, { factor }) => {
    const secret = tryUnseal(key, factor.secret_sealed as string);
    const timeStep = secret === undefined ? undefined : findTimeStep(secret, code);
    return timeStep === undefined ? undefined : { step: timeStep };
  },
  passkey: async (_key, { passkey = {} }, { factor, challenge, party }) => {
    if (!challenge || !party || (passkey as { id?: unknown }).id !== factor.credential_id) return undefined;
    const counter = await checkPasskey(party, { response: passkey, challenge, factor });
    return counter === undefined ? undefined : { counter };
  },
  recovery_codes: async (key, { recovery_code: code = '' }, { factor, userId }) => {
    const hash = hashRecoveryCode(key, userId, code);
    return factor.code_hashes?.includes(hash) ? { hash } : undefined;
  },
};
