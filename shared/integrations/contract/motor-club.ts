import Joi from 'joi';
import type { Change, OpenConnection, Written } from './connection.js';

/** The stream that polls the claims which a billing partner has taken. */
export const CLAIMS_STREAM = 'claims';

/** Maximum number of denial rules of a connection, and the length of the text of each. */
const MAX_DENIAL_RULES = 50;
const MAX_RULE_CHARS = 200;

/** The settings of every motor-club connection. */
export interface MotorClubSettings {
  /** A text that the partner shows with each invoice. */
  terms?: string;
  /** The first rule whose text a denial contains decides the denial's code. */
  denial_rules?: readonly { contains: string; code: string }[];
}

export const motorClubSettings = () => ({
  terms: Joi.string().trim().max(500).description('A text that each invoice at the partner shows'),
  denial_rules: Joi.array()
    .max(MAX_DENIAL_RULES)
    .items(
      Joi.object({
        contains: Joi.string().trim().min(2).max(MAX_RULE_CHARS).required(),
        code: Joi.string()
          .pattern(/^[a-z][a-z0-9_]{0,63}$/, 'denial code')
          .required(),
      }),
    )
    .description('Which denial code a reason means: the first rule counts whose text the reason contains'),
});

/** Finds the denial code of a reason, by the account's rules. Ignores upper and lower case. */
export function findDenialCode(
  { denial_rules = [] }: MotorClubSettings,
  reason: string | null,
): string | null {
  const text = reason?.toLowerCase() ?? '';
  return denial_rules.find(({ contains }) => text.includes(contains.toLowerCase()))?.code ?? null;
}

export interface ClubLine {
  description: string;
  amountCents: number;
}

/** One attempt of a claim. The pair of `claimId` and `attempt` identifies it at the partner. */
export interface ClubClaim {
  claimId: string;
  attempt: number;
  payer: { name: string; email: string | null; phone: string | null };
  invoiceNumber: string;
  poNumber: string | null;
  lines: readonly ClubLine[];
  /** The sum of the lines. */
  amountCents: number;
  /** Addresses of evidence that is not among the files. */
  evidenceUrls: readonly string[];
}

export interface ClubFile {
  name: string;
  contentType: 'application/pdf' | 'image/jpeg' | 'image/png';
  data: Buffer;
}

/**
 * `unknown` is a status that this version does not know. `missing` means that the partner no longer
 * has the claim.
 */
export const CLUB_STATUSES = [
  'sending',
  'sent',
  'accepted',
  'paid',
  'denied',
  'void',
  'missing',
  'unknown',
] as const;
export type ClubStatus = (typeof CLUB_STATUSES)[number];

/** A claim as the partner shows it. */
export interface ClubClaimState {
  status: ClubStatus;
  /** Null if the partner does not show which attempt it is. */
  attempt: number | null;
  /** Null if the partner shows no usable amount. */
  amountCents: number | null;
  poNumber: string | null;
  reason: string | null;
  /** The denial code that the account's rules find in the reason. */
  code: string | null;
  /** What people call the claim there. */
  number: string | null;
}

/** An invoice at the partner that bills an attempt which another invoice bills already. */
export interface SurplusInvoice {
  externalId: string;
  /** What people call it there. */
  number: string | null;
  isPaid: boolean;
}

/** Bills motor clubs through a partner. Adapters keep no state. Amounts are cents. */
export interface MotorClubAdapter {
  /**
   * Sends one attempt of a claim, once. Looks for it first, so it may be repeated. Annuls the
   * earlier attempt `replaced`, so that the club never has two.
   * @param claim.mayCreate false if an earlier creation got no answer, and may appear later
   * @param claim.loadFiles loads the files to attach; called only if the partner needs them
   * @returns undefined if the partner does not show the attempt, and `mayCreate` is false
   * @throws {VendorError} of the kind `conflict` if the earlier attempt was paid meanwhile
   */
  submit(
    connection: OpenConnection,
    claim: ClubClaim & { replaced: string | null; mayCreate: boolean; loadFiles: () => Promise<ClubFile[]> },
  ): Promise<{ written: Written; state: ClubClaimState } | undefined>;
  /**
   * Annuls all that the partner has of a claim. May be repeated.
   * @param claim.known the partner's id of the last attempt, if it is known
   * @returns the id of what was annulled, or undefined if the partner has nothing
   * @throws {VendorError} of the kind `conflict` if it was paid meanwhile
   */
  withdraw(
    connection: OpenConnection,
    claim: { claimId: string; attempts: readonly number[]; known: string | null; reason: string },
  ): Promise<string | undefined>;
  /** Finds the invoices that bill the same attempt as the invoice `known`. */
  findSurplus(
    connection: OpenConnection,
    claim: { claimId: string; attempt: number; known: string },
  ): Promise<SurplusInvoice[]>;
  /**
   * Annuls an invoice that {@link findSurplus} found. May be repeated.
   * @throws {VendorError} of the kind `conflict` if it was paid meanwhile
   */
  endSurplus(connection: OpenConnection, externalId: string): Promise<void>;
  /** Reads a claim. Returns undefined if the partner answers with something unusable. */
  read(connection: OpenConnection, externalId: string): Promise<Change<ClubClaimState> | undefined>;
}
