/** The stream that reads the books of the last days again, every night. */
export const SWEEP_STREAM = 'books_sweep';
