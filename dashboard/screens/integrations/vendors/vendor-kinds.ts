import type { Schemas } from '../../../api/records';

export type Connection = Schemas['Connection'];
export type Integration = Schemas['Integration'];

interface KindText {
  kind: Schemas['VendorKind'];
  name: string;
  /** The benefit of a connection of this kind. */
  offer: string;
  /** How the account works without a connection of this kind. */
  without: string;
}

/** The kinds of vendors, in the order in which the catalogue shows them. */
export const VENDOR_KINDS: readonly KindText[] = [
  {
    kind: 'messaging',
    name: 'Texts',
    offer: 'Sends invoices and links as text messages, and reads whether they arrived.',
    without: 'Texts wait in the outbox.',
  },
  {
    kind: 'accounting',
    name: 'Books',
    offer: 'For the accounting program of the account.',
    without: 'Export invoices and payments, and import the files there.',
  },
  {
    kind: 'payments',
    name: 'Payments',
    offer: 'For card and online payments.',
    without: 'Take the money elsewhere, and record the payment on the invoice.',
  },
  {
    kind: 'motor_club',
    name: 'Motor clubs',
    offer: 'For billing motor clubs.',
    without: 'Submit claims at the club, and record what it decided.',
  },
  {
    kind: 'telematics',
    name: 'Positions of trucks',
    offer: 'For the positions that devices in the trucks report.',
    without: 'The trucks do not report where they are.',
  },
];

export function nameKind(kind: Schemas['VendorKind']): string {
  return VENDOR_KINDS.find((one) => one.kind === kind)?.name ?? kind;
}
