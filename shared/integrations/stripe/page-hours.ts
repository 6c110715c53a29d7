/** A hosted page works for this long. Stripe allows 30 minutes to 24 hours. */
export const PAGE_HOURS = 23;
