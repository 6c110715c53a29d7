/**
 * Returns the last ten digits of a phone number, by which numbers are compared: people write the
 * same number with and without the country's code.
 */
export function toPhoneKey(phone: string): string {
  return phone.replace(/\D/g, '').slice(-10);
}

/** SQL for the {@link toPhoneKey} of a column. Indexes of the migration index_phones contain it. */
export function phoneKeySql(column: string): string {
  return `right(regexp_replace(${column}, '\\D', '', 'g'), 10)`;
}

/** True for a number with as many digits as a short code has, or more. */
export function isPhoneNumber(text: string): boolean {
  return toPhoneKey(text).length >= 3;
}
