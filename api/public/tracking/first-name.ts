const MAX_CHARACTERS = 30;

/** Forms of address. The next word is usually a last name, which the page must not show. */
const FORM_OF_ADDRESS = /^(mr|mrs|ms|miss|mx|dr|prof|sir|madam|rev|officer)\.?$/i;

/** Matches a word that can be a name: letters with marks, hyphens and apostrophes. */
const NAME = /^[\p{L}\p{M}'’-]+\.?$/u;

/**
 * Returns the first name in the name of a contact, or null if the name has none. Understands
 * `Dana Whitfield` and `Whitfield, Dana`.
 */
export function findFirstName(contactName: string | null): string | null {
  const [before = '', after = ''] = (contactName ?? '').split(',').map((part) => part.trim());
  const isLastNameFirst = after !== '' && !before.includes(' ');
  const [word = ''] = (isLastNameFirst ? after : before).split(/\s+/);
  const isFirstName = NAME.test(word) && !FORM_OF_ADDRESS.test(word) && word.length <= MAX_CHARACTERS;
  return isFirstName ? word : null;
}
