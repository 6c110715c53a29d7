import type { Charges, PaymentState } from '../contract/payments.js';
import { listSince, pullNamed, readEach } from './api/events.js';
import { EXPANDED_CHARGE, type PaymentIntent, toPaymentChange } from './mapper.js';

/** Every payment is a PaymentIntent, however the customer paid. */
export const charges: Charges = {
  async readNamed(connection, hints) {
    const intents = await readEach<PaymentIntent>(connection, hints, {
      path: '/v1/payment_intents',
      expand: EXPANDED_CHARGE,
    });
    return intents.map(toPaymentChange);
  },
  listSince: (connection, from) =>
    listSince<PaymentIntent, PaymentState>(connection, from, {
      path: '/v1/payment_intents',
      expand: EXPANDED_CHARGE,
      toChange: toPaymentChange,
    }),
  pull: (connection, from) => pullNamed(connection, from, { stream: 'payments', read: charges.readNamed }),
};
