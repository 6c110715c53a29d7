import bidiFactory, { type Bidi } from 'bidi-js';

/**
 * The Unicode Bidirectional Algorithm. The cast is needed because bidi-js exports the factory
 * itself, but its types declare a default export.
 */
export const bidi = (bidiFactory as unknown as () => Bidi)();
