import { walkBooks } from '../../../support/vendors/books/walk.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { useXeroStack } from '../../../support/vendors/xero-booking.js';

describe('the books of an account at Xero', function () {
  this.timeout(400_000);
  requireContracts();
  const booking = useXeroStack();

  it('after any sequence of changes and failures, both sides agree to the cent', () =>
    walkBooks(() => booking.createAccount(), /^(PUT|POST) [A-Z]/));
});
