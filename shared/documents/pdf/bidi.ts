import bidiFactory, { type Bidi } from 'bidi-js';

/**
 * The Unicode Bidirectional Algorithm. bidi-js exports the factory function itself, but its types
 * declare a default export, hence the cast.
 */
export const bidi = (bidiFactory as unknown as () => Bidi)();
