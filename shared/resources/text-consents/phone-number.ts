import { text } from '../../contracts/schemas/fields.js';

/** A phone number as people write it: seven digits at least, with spaces, points and brackets. */
export const phoneNumber = () =>
  text(32)
    .pattern(/^[+(]?\d[\d ().-]{5,28}\d$/, 'phone number')
    .example('+15185550123');
