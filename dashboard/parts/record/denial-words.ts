import type { PUBLISHED_CODE } from '../../generated/vocabulary';
import { humanize } from './status-badge';

interface Denial {
  /** What the club objects to. */
  meaning: string;
  /** What the person can do next. */
  advice: string;
}

const ADD_PO = 'Ask the club for the PO of this call, enter it under Correct claim, then bill again.';
const ADD_EVIDENCE =
  'Add photos from before hook-up and at drop-off as evidence under Correct claim, then bill again.';
const LOWER_MILES = 'Lower the mileage of the invoice to what the work order documents, then bill again.';
const BILL_OTHERS = 'Withdraw the claim, and bill the motorist or another payer.';

/** Words for each code of a denial that the API publishes. A club may send other codes too. */
const DENIALS: Readonly<Record<(typeof PUBLISHED_CODE)[number], Denial>> = {
  missing_po: { meaning: 'The PO number is missing', advice: ADD_PO },
  invalid_po: { meaning: 'The club does not know the PO number', advice: ADD_PO },
  missing_photos: { meaning: 'Photos are missing', advice: ADD_EVIDENCE },
  missing_evidence: { meaning: 'Evidence is missing', advice: ADD_EVIDENCE },
  mileage_exceeds_contract: { meaning: 'The miles are more than the contract pays', advice: LOWER_MILES },
  mileage_over: { meaning: 'The miles are more than the club accepts', advice: LOWER_MILES },
  not_covered: { meaning: 'The club does not cover this service', advice: BILL_OTHERS },
  over_benefit_limit: { meaning: 'The amount is above the limit of the member', advice: BILL_OTHERS },
  duplicate_claim: {
    meaning: 'The club has another claim for this service',
    advice: 'Look for a payment of the other claim. If the club has paid it, withdraw this claim.',
  },
  rate_exceeds_contract: {
    meaning: 'The prices are above the contract',
    advice: "Compare the line items with the club's contract, correct them, then bill again.",
  },
};

/** A club may send any word, also the name of a member that every object has. */
function isPublished(code: string): code is keyof typeof DENIALS {
  return Object.hasOwn(DENIALS, code);
}

/** Describes a denial in plain words. The club's own words are not part of it. */
export function describeDenial(code: string | null): Denial {
  if (code !== null && isPublished(code)) return DENIALS[code];
  return {
    meaning: code === null ? 'The club gave no code' : humanize(code),
    advice: "Read the club's reason, correct what it names, then bill again.",
  };
}

/** The options of a select: the meaning of each code. */
export const DENIAL_OPTIONS = Object.entries(DENIALS).map(([value, { meaning }]) => ({
  value,
  label: meaning,
}));
