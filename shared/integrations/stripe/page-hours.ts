/** Number of hours for which a hosted page works. Stripe allows 30 minutes to 24 hours. */
export const PAGE_HOURS = 23;
