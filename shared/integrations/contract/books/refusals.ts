import { VendorError } from '../vendor-error.js';

type Kind = 'customer' | 'invoice' | 'payment';

/** The error if a record that we have written does not exist in the books any more. */
export function missingThere(kind: Kind): VendorError {
  return new VendorError(`The ${kind} does not exist in the books any more.`, { kind: 'gone' });
}

/** The error if a person changed a record in the books, and our write would undo that. */
export function changedThere(kind: Kind): VendorError {
  return new VendorError(`The ${kind} was changed in the books since it was written there.`, {
    kind: 'conflict',
    code: 'changed_there',
  });
}

/** The error if another invoice in the books has the number of ours. */
export function takenNumber(number: string, code: string): VendorError {
  return new VendorError(
    `The books have another invoice with the number ${number}. Change its number there, then resolve this with retry.`,
    { kind: 'refused', code },
  );
}
