/**
 * Returns the link that dials a phone number, or null if the text does not begin with a number. The
 * link omits text after the number, such as an extension.
 */
export function toTelHref(phone: string): string | null {
  const [, number = '', rest = ''] = /^([+\d().\s-]*)(.*)$/s.exec(phone.trim()) ?? [];
  const digits = number.replace(/[^+\d]/g, '');
  // In "1-800-TOWING" and "1 800 TOWING", the letters are part of the number.
  const isCut = number.endsWith('-') && /^[a-z]/i.test(rest);
  const minDigits = rest === '' ? 3 : 7;
  return isCut || digits.replace('+', '').length < minDigits ? null : `tel:${digits}`;
}
