/** What stands in the URL in place of an id while an invoice is being written. */
export const NEW_ID = 'new';
