import type { BookCustomerState, Booked } from '../../../shared/integrations/contract/accounting.js';
import { CUSTOMER_KIND } from '../../../shared/resources/books/kinds.js';
import { readBookCustomer } from '../../../shared/resources/books/queries.js';
import { wakeInvoicesOfCustomer } from '../../../shared/resources/books/unbooked.js';
import { updateCustomer } from '../../../shared/resources/customers/commands.js';
import { customerPatch } from '../../../shared/resources/customers/schema.js';
import { findTakenIds, findUnwritten, readExternalId } from '../../../shared/sync/external-ids.js';
import type { StartedOperation } from '../../../shared/sync/operation-rows.js';
import type { AcceptedWrite, RecordKind } from '../records/record-kind.js';
import { toAttempt } from '../records/to-attempt.js';
import type { Step, StepCommand } from '../vendor/step.js';
import { getAccounting } from './get-accounting.js';

interface AcceptedCustomer extends AcceptedWrite<BookCustomerState> {
  isOverruled?: boolean;
}

/**
 * The record kind `customer`. A write links the customer to one in the books, or creates it there.
 * Contact data that was changed in the books is taken over.
 */
export const customerRecords: RecordKind<BookCustomerState> = {
  async write(step, operation) {
    const { tenant_id, connection_id, local_id } = operation;
    const facts = await readBookCustomer(step.db, { tenant_id, connection_id, id: local_id });
    if (!facts) throw new Error('the customer of an operation does not exist');
    const { customers } = getAccounting(step);
    const customer = { customerId: local_id, ...facts };
    const connection = await step.open();
    const ref = { tenant_id, connection_id, kind: CUSTOMER_KIND, local_id };
    const known = await readExternalId(step.db, ref);
    const attempt = toAttempt(operation);
    if (known) return customers.put(connection, customer, attempt, known);
    const free = await findFree(step, operation, await customers.findMatches(connection, customer));
    return free ?? customers.put(connection, customer, attempt);
  },
  storeAcceptance: wakeInvoicesOfCustomer,
  // The books own contact data. If it was changed there before our change arrived, it stays.
  buildSuccess: ({ local_id: entityId }, accepted) => {
    const { state, isOverruled } = accepted as AcceptedCustomer;
    return state && isOverruled ? takeOver(entityId, state) : [];
  },
  buildFailure: () => [],
  pull: async (step, from) => getAccounting(step).customers.pull(await step.open(), from),
  readNamed: async (step, hints) => getAccounting(step).customers.readNamed(await step.open(), hints),
  // Customers that are only in the books stay there.
  adopt: () => undefined,
  async findEarly(tx, connection, changes) {
    const unwritten = await findUnwritten(tx, connection, changes);
    return changes.filter(({ externalId }) => unwritten.has(externalId));
  },
  buildChanges: (changes) => changes.flatMap(({ change: { fields }, id }) => takeOver(id.local_id, fields)),
};

/** Returns the best match that belongs to none of our other customers. */
async function findFree(
  step: Step,
  { tenant_id, connection_id, local_id }: StartedOperation,
  matches: readonly Booked<BookCustomerState>[],
): Promise<Booked<BookCustomerState> | undefined> {
  if (matches.length === 0) return undefined;
  const ids = matches.map(({ written }) => written.externalId);
  const ref = { tenant_id, connection_id, kind: CUSTOMER_KIND, local_id };
  const taken = await findTakenIds(step.db, ref, ids);
  return matches.find(({ written }) => !taken.has(written.externalId));
}

/**
 * Builds the command that takes contact data over. What the books do not hold, or hold in a form
 * that this service does not accept, stays as it is here.
 */
function takeOver(
  entityId: string,
  { email, phone, address, city, state, zip }: BookCustomerState,
): StepCommand[] {
  const theirs = { billing_email: email, primary_phone: phone, address, city, state, zip };
  const usable = Object.entries(theirs).flatMap(([name, value]) => {
    if (value === null) return [];
    const { error, value: clean } = customerPatch.validate({ [name]: value });
    return error ? [] : Object.entries(clean as object);
  });
  if (usable.length === 0) return [];
  return [{ type: updateCustomer.type, entityId, input: Object.fromEntries(usable) }];
}
