import type { Kind, StripeAccount, StripeObject } from './stripe-account.js';

/** An error that the double returns in Stripe's format. */
export class StripeRefusal extends Error {
  constructor(
    readonly status: number,
    readonly error: {
      type: string;
      code?: string;
      decline_code?: string;
      message: string;
      payment_intent?: object;
    },
  ) {
    super(error.message);
  }
}

/** @throws {StripeRefusal} if the account has no such object */
export function findOr404(account: StripeAccount, kind: Kind, id: string | undefined): StripeObject {
  const found = account.find(id, kind);
  if (found) return found;
  throw new StripeRefusal(404, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    message: `No such ${kind}: '${id}'`,
  });
}

export function refuse(message: string, code?: string): StripeRefusal {
  return new StripeRefusal(400, { type: 'invalid_request_error', message, ...(code ? { code } : {}) });
}
