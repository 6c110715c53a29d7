import type { ReactNode } from 'react';
import type { Invoice } from '../../../api/records';
import { Facts } from '../../../parts/record/facts';
import { Money } from '../../../parts/values/money';
import type { Claim } from './claim-actions';

/** Describes the claim that a dialog is about to change. */
export function ClaimFacts({
  claim,
  invoice,
  more = {},
}: {
  claim: Claim;
  invoice: Invoice;
  more?: Readonly<Record<string, ReactNode>>;
}) {
  return (
    <Facts
      items={{
        Invoice: invoice.invoice_number,
        'Motor club': claim.club,
        PO: claim.po_number,
        Expected: <Money cents={claim.expected_cents} />,
        ...more,
      }}
    />
  );
}
