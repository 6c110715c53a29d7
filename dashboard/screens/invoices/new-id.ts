/** Replaces the id in the URL while a person writes a new invoice. */
export const NEW_ID = 'new';
