/**
 * Returns the last ten digits of a phone number. Numbers are compared by these digits, because
 * people write a number with or without its country code.
 */
export function toPhoneKey(phone: string): string {
  return phone.replace(/\D/g, '').slice(-10);
}

/**
 * SQL for the {@link toPhoneKey} of a column. Indexes of the migration index_phones contain the
 * same expression.
 */
export function phoneKeySql(column: string): string {
  return `right(regexp_replace(${column}, '\\D', '', 'g'), 10)`;
}

/** True if the text has at least as many digits as a short code. */
export function isPhoneNumber(text: string): boolean {
  return toPhoneKey(text).length >= 3;
}
