import { isUuid } from '../../../platform/ids.js';

/**
 * Reads one of our ids from an object's metadata. Other programs of the same account may write
 * anything there.
 */
export function readOwnId(value: string | undefined): string | null {
  return isUuid(value) ? value.toLowerCase() : null;
}
