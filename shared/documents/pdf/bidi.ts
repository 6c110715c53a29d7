import bidiFactory, { type Bidi } from 'bidi-js';

/**
 * The Unicode Bidirectional Algorithm. bidi-js exports the factory itself, but its types declare a
 * default export, so a cast is needed.
 */
export const bidi = (bidiFactory as unknown as () => Bidi)();
