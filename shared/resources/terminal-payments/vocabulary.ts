import { namedEnum } from '../../contracts/named-enum.js';

export const terminalPaymentStatus = namedEnum(
  'TerminalPaymentStatus',
  ['waiting', 'processing', 'succeeded', 'failed', 'cancelled'],
  {
    waiting: 'The reader waits for a card, or is about to',
    processing: 'The card was read, and the vendor has not decided yet',
    succeeded: 'The customer has paid; `payment_id` names the payment',
    failed: 'The card was declined, or the reader could not be used; `failure_reason` says why',
    cancelled: 'A person has cancelled the payment, or nobody presented a card in time',
  },
);
