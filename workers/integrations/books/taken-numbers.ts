import { VendorError } from '../../../shared/integrations/contract/vendor-error.js';
import { listUnbookedNumbers } from '../../../shared/resources/books/unbooked-numbers.js';
import type { Step } from '../vendor/step.js';
import { getAccounting } from './get-accounting.js';

/** The number of invoices that one call looks for. */
const NUMBERS_PER_CALL = 40;
/** A preview names conflicts of this many invoices at most, the newest ones. */
const MAX_NUMBERS = 80;

/**
 * Finds the released invoices of the last days that are not in the books, but whose number another
 * invoice there has. The preview of a sync names them.
 */
export async function findTakenNumbers(step: Step): Promise<{ id: string; name: string }[]> {
  const { invoices } = getAccounting(step);
  const unbooked = await listUnbookedNumbers(step.db, step.connection, MAX_NUMBERS);
  const taken: { id: string; name: string }[] = [];
  for (let from = 0; from < unbooked.length; from += NUMBERS_PER_CALL) {
    const page = unbooked.slice(from, from + NUMBERS_PER_CALL);
    const numbers = page.map(({ name }) => name);
    const found = await invoices.findByNumbers(await step.open(), numbers).catch((error: unknown) => {
      // The choices matter more. A sync asks about each number anyway.
      if (error instanceof VendorError && error.kind === 'refused') return [];
      throw error;
    });
    taken.push(
      ...page.filter(({ id, name }) => {
        const same = found.filter(({ number }) => number?.toLowerCase() === name.toLowerCase());
        return same.length > 0 && !same.some(({ invoiceId }) => invoiceId === id);
      }),
    );
  }
  return taken;
}
