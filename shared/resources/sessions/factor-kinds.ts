/** The kinds of factors that a person adds. */
export const FACTOR_KINDS = ['totp', 'passkey'] as const;

/** The kinds of proof, with the member of the request that contains each. */
export const PROOF_MEMBERS = {
  totp: 'code',
  passkey: 'passkey',
  recovery_codes: 'recovery_code',
} as const;

export type ProofKind = keyof typeof PROOF_MEMBERS;
export const PROOF_KINDS = Object.keys(PROOF_MEMBERS) as ProofKind[];
