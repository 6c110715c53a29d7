import type { ClubClaim, ClubLine } from '../../../shared/integrations/contract/motor-club.js';
import type { PartnerClaim } from '../../../shared/resources/claims/partner-queries.js';

/** Maximum number of addresses of evidence that a partner gets. */
const MAX_URLS = 10;

/**
 * Returns what the club owes now: the claimed amount, or what is left of the invoice if others have
 * paid a part since.
 */
export function computeClaimedCents(claim: PartnerClaim): number {
  const { expected_cents, paid_cents, invoice_total_cents, invoice_paid_cents } = claim;
  return Math.min(expected_cents, Math.max(0, invoice_total_cents - invoice_paid_cents) + paid_cents);
}

/** Builds the next attempt of a claim, as the partner gets it. */
export function buildClubClaim(claimId: string, claim: PartnerClaim): ClubClaim {
  const { club, email, phone, invoice_number, po_number, photos, evidence_urls } = claim;
  const isAttached = (url: string) => photos.some(({ id }) => url.endsWith(`/photos/${id}`));
  return {
    claimId,
    attempt: claim.attempt + 1,
    payer: { name: club, email, phone },
    invoiceNumber: invoice_number,
    poNumber: po_number,
    lines: buildLines(claim),
    amountCents: computeClaimedCents(claim),
    evidenceUrls: evidence_urls.filter((url) => !isAttached(url)).slice(0, MAX_URLS),
  };
}

/** Tax and what others pay are lines of their own, so that the lines add up to the claim. */
function buildLines(claim: PartnerClaim): ClubLine[] {
  const { lines, invoice_tax_cents: tax, invoice_total_cents: total } = claim;
  const others = computeClaimedCents(claim) - total;
  return [
    ...lines.map(({ name, quantity, unit_price_cents: price, total_cents }) => ({
      description: quantity === 1 ? name : `${name}: ${quantity} at $${(price / 100).toFixed(2)}`,
      amountCents: total_cents,
    })),
    ...(tax === 0 ? [] : [{ description: 'Sales tax', amountCents: tax }]),
    ...(others === 0 ? [] : [{ description: 'Not billed to the club', amountCents: others }]),
  ];
}
