/** What a difference between an invoice and the books is called. */
export const DIFFERENCE_CODES = [
  'missing_there',
  'missing_here',
  'not_linked',
  'duplicate',
  'waiting',
  'changed',
  'correction',
  'status',
  'currency',
  'month',
  'amount',
  'number',
  'paid',
] as const;
export type DifferenceCode = (typeof DIFFERENCE_CODES)[number];
