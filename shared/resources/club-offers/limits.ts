/** Seconds that an account has to answer an offer, if the club names no time. */
export const DEFAULT_RESPONSE_SECONDS = 90;
/** The bounds of `respond_by`, in seconds after the service received the offer. */
export const RESPONSE_SECONDS = { min: 15, max: 3600 } as const;

/**
 * Maximum numbers of offers that wait for an answer. A club with a broken client cannot fill the
 * board of its account, and no account gets more offers than people can read.
 */
export const MAX_WAITING_OFFERS = { perClub: 20, perAccount: 100 } as const;

/**
 * Maximum number of offers of a club in an hour, whatever became of them. It also limits what a
 * club adds to the tables by offers that it withdraws at once.
 */
export const MAX_OFFERS_PER_HOUR = 300;
