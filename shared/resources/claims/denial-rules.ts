import type { ProposedLine } from '../../contracts/generated.js';
import type { Evidence } from './claim-row.js';

/** Facts from the account's records that may help to answer a denial. */
export interface DenialFacts {
  po_number: string | null;
  /** The PO number in the work order's notes. */
  noted_po: string | null;
  /** URLs of photos from the work order's inspections. */
  photos: string[];
  miles: number | null;
  billed_miles: number | null;
  mile_cents: number | null;
}

export interface CorrectableClaim {
  po_number: string | null;
  evidence: Evidence[];
}

/**
 * The changes that a rule may make without a person. A rule may also propose a lower price, but
 * then a person decides.
 */
export interface ClaimCorrection {
  po_number?: string;
  evidence?: Evidence[];
}

interface DenialRule {
  codes: readonly string[];
  /** Explains to a person how to answer the denial. */
  advice: string;
  correct?: (claim: CorrectableClaim, facts: DenialFacts) => ClaimCorrection | undefined;
  propose?: (facts: DenialFacts) => ProposedLine[];
}

export const DENIAL_RULES: readonly DenialRule[] = [
  {
    codes: ['missing_po', 'invalid_po'],
    advice: 'Ask the club for the PO of this call, set po_number and bill again',
    correct: ({ po_number: claimed }, facts) => {
      const known = [facts.po_number, facts.noted_po].find((po) => po !== null && po !== claimed);
      return known ? { po_number: known } : undefined;
    },
  },
  {
    codes: ['missing_photos', 'missing_evidence'],
    advice: 'Add photos from before hook-up and at drop-off as evidence and bill again',
    correct: ({ evidence }, { photos }) => {
      const attached = new Set(evidence.map(({ url }) => url));
      const found = [...new Set(photos)].filter((url) => !attached.has(url));
      if (found.length === 0) return undefined;
      return {
        evidence: [...evidence, ...found.map((url) => ({ kind: 'photo', url, note: 'From the inspection' }))],
      };
    },
  },
  {
    codes: ['mileage_exceeds_contract', 'mileage_over'],
    advice: 'Reduce the mileage to what the work order documents, approve the invoice and bill again',
    propose: ({ miles, billed_miles: billed, mile_cents: price }) => {
      if (miles === null || billed === null || price === null || billed <= miles) return [];
      const cents = -Math.round((billed - miles) * price);
      return cents >= 0 ? [] : [adjustment(`Mileage reduced from ${billed} to ${miles}`, cents)];
    },
  },
  {
    codes: ['not_covered', 'over_benefit_limit'],
    advice: 'Bill the motorist or the account for what the club does not cover',
  },
  {
    codes: ['duplicate_claim'],
    advice: 'Look for a payment of the other claim; withdraw this one if the other was paid',
  },
  {
    codes: ['rate_exceeds_contract'],
    advice: "Compare the line items with the club's contract, correct them and bill again",
  },
];

const FALLBACK_RULE: DenialRule = {
  codes: [],
  advice: "Read the club's reason, correct what it names and bill again",
};

export const DENIAL_CODES: readonly string[] = DENIAL_RULES.flatMap(({ codes }) => codes);

export function findDenialRule(code: string | null): DenialRule {
  return DENIAL_RULES.find(({ codes }) => codes.includes(code ?? '')) ?? FALLBACK_RULE;
}

function adjustment(name: string, cents: number): ProposedLine {
  return {
    name,
    description: null,
    category: 'adjustment',
    quantity: 1,
    unit_type: 'flat',
    unit_price_cents: cents,
    total_cents: cents,
    taxable: false,
  };
}
