import { useBookingStack } from '../../../support/vendors/booking.js';
import { walkBooks } from '../../../support/vendors/books/walk.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';

describe('the books of an account at QuickBooks', function () {
  this.timeout(400_000);
  requireContracts();
  const booking = useBookingStack();

  it('after any sequence of changes and failures, both sides agree to the cent', () =>
    walkBooks(() => booking.createAccount(), /^POST /));
});
