import bidiFactory, { type Bidi } from 'bidi-js';

/**
 * The Unicode Bidirectional Algorithm. The package exports the function itself; its types promise a
 * default export.
 */
export const bidi = (bidiFactory as unknown as () => Bidi)();
