/** The kinds of the records that are in the books, in operations, external ids and sync issues. */
export const CUSTOMER_KIND = 'customer';
export const INVOICE_KIND = 'invoice';
export const BOOKED_PAYMENT_KIND = 'booked_payment';

/** The verb of all operations of the books: it writes the record as it is now. */
export const BOOK_VERB = 'put';

/** The kinds that are compared with the books. Other differences are those of payments vendors. */
export const BOOK_KINDS: readonly string[] = [INVOICE_KIND, BOOKED_PAYMENT_KIND];
