import { isUuid } from '../../platform/ids.js';

/**
 * Reads one of our ids from a vendor's record. Returns null for any other text, because other
 * programs of the account may write to the same field.
 */
export function readOwnId(value: string | undefined): string | null {
  return isUuid(value) ? value.toLowerCase() : null;
}
