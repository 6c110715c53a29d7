export const MAX_REMITTANCE_LINES = 500;

/** About 600 characters for each line. */
export const MAX_CSV_CHARS = 300_000;
