import type { Change, OpenConnection } from '../contract/connection.js';
import { fingerprint } from '../contract/fingerprint.js';
import type { ClubClaim, ClubClaimState, ClubFile, MotorClubAdapter } from '../contract/motor-club.js';
import { VendorError } from '../contract/vendor-error.js';
import { assertLocation, callRoadSync, MAX_LISTED } from './client.js';
import {
  buildClaimMark,
  buildComments,
  CLAIM_FIELD,
  type RoadSyncInvoice,
  readInvoice,
  toCreation,
  toPhone,
  toVoidReason,
} from './mapper.js';

/** The reason under which an earlier attempt is voided, because a corrected one replaces it. */
const REPLACED = 'alternate';
/** The reason under which a second invoice of the same attempt is voided. */
const DUPLICATE = 'duplicate';
/** The status of an invoice that was created and not sent yet. */
const UNSENT = 'new';

const toPath = (id: string, action = '') => `/${encodeURIComponent(id)}${action === '' ? '' : `/${action}`}`;

export const motorClub: MotorClubAdapter = {
  async submit(connection, { replaced, mayCreate, loadFiles, ...claim }) {
    assertCanCreate(connection, claim.payer);
    const found = await findAttempt(connection, claim);
    if (!found && !mayCreate) return undefined;
    // The earlier attempt ends first. A club must not be able to pay both.
    if (replaced !== null && replaced !== found?.id) await endInvoice(connection, replaced, REPLACED);
    const invoice =
      found ??
      assertInvoice(
        connection,
        await callRoadSync(connection, { method: 'POST', path: '/', body: toCreation(connection, claim) }),
      );
    if (invoice.isVoid)
      throw new VendorError('The invoice was voided at RoadSync before it was sent.', {
        kind: 'conflict',
        code: 'voided_there',
      });
    if (!found || found.status === UNSENT) {
      if (!invoice.hasFiles)
        await attachFiles(connection, { id: invoice.id, claim, files: await loadFiles() });
      const { email, phone } = claim.payer;
      const body = email === null ? { phone: toPhone(phone) } : { email };
      await callRoadSync(connection, { method: 'POST', path: toPath(invoice.id, 'send'), body });
    }
    return { written: { externalId: invoice.id, version: null }, state: invoice.state };
  },
  async withdraw(connection, { claimId, attempts, known, reason }) {
    const ids = new Set(known === null ? [] : [known]);
    // An attempt that got no answer may be there under an id that was never stored.
    for (const attempt of attempts) {
      const found = await findAttempt(connection, { claimId, attempt });
      if (found) ids.add(found.id);
    }
    for (const id of ids) await endInvoice(connection, id, toVoidReason(reason));
    return [...ids].at(-1);
  },
  async findSurplus(connection, { known, ...claim }) {
    const listed = await listAttempt(connection, claim);
    // Only if the list shows the known one too, its mark is surely the same.
    if (!listed.some(({ id }) => id === known)) return [];
    return listed
      .filter(({ id, isVoid }) => id !== known && !isVoid)
      .map(({ id, state }) => ({ externalId: id, number: state.number, isPaid: state.status === 'paid' }));
  },
  endSurplus: (connection, externalId) => endInvoice(connection, externalId, DUPLICATE),
  async read(connection, externalId): Promise<Change<ClubClaimState> | undefined> {
    const invoice = await readOne(connection, externalId);
    if (invoice === null) return toChange(externalId, MISSING);
    return invoice && toChange(externalId, invoice.state);
  },
};

/** Attaches files, and then marks the invoice, so that a repetition does not attach them again. */
async function attachFiles(
  connection: OpenConnection,
  { id, claim, files }: { id: string; claim: ClubClaim; files: readonly ClubFile[] },
): Promise<void> {
  for (const file of files)
    await callRoadSync(connection, {
      method: 'POST',
      path: toPath(id, 'attach'),
      query: { attachmentName: file.name },
      file,
    });
  const comments = buildComments(connection.settings, claim, files.length);
  await callRoadSync(connection, { method: 'PATCH', path: toPath(id), body: { comments } });
}

const MISSING: ClubClaimState = {
  status: 'missing',
  attempt: null,
  amountCents: null,
  poNumber: null,
  reason: null,
  code: null,
  number: null,
};

function toChange(externalId: string, state: ClubClaimState): Change<ClubClaimState> {
  return { kind: 'claim', externalId, version: fingerprint(state), fields: state };
}

/** Returns null if RoadSync has no such invoice, and undefined if its answer is unusable. */
async function readOne(connection: OpenConnection, id: string): Promise<RoadSyncInvoice | null | undefined> {
  try {
    return readInvoice(connection, await callRoadSync(connection, { method: 'GET', path: toPath(id) }));
  } catch (error) {
    if (error instanceof VendorError && error.kind === 'gone') return null;
    throw error;
  }
}

/**
 * Looks for one attempt of a claim. RoadSync has no idempotency keys, so this comes before every
 * creation. An attempt that is void counts only if there is no other.
 */
async function findAttempt(
  connection: OpenConnection,
  claim: { claimId: string; attempt: number },
): Promise<RoadSyncInvoice | undefined> {
  const found = await listAttempt(connection, claim);
  return found.find(({ isVoid }) => !isVoid) ?? found[0];
}

/** Lists the invoices with the mark of an attempt. */
async function listAttempt(
  connection: OpenConnection,
  claim: { claimId: string; attempt: number },
): Promise<RoadSyncInvoice[]> {
  const value = buildClaimMark(claim);
  const listed = await callRoadSync(connection, {
    method: 'GET',
    path: '/',
    query: {
      offset: '0',
      limit: String(MAX_LISTED),
      customField: JSON.stringify({ name: CLAIM_FIELD, value }),
    },
  });
  if (!Array.isArray(listed))
    throw new VendorError('RoadSync answered without a list.', { kind: 'again', code: 'no_list' });
  // If RoadSync ignored the filter, others must not be taken for ours.
  return listed
    .flatMap((one) => readInvoice(connection, one) ?? [])
    .filter((one) => one.claimId === claim.claimId && one.state.attempt === claim.attempt);
}

/** Voids an invoice, unless it is void or does not exist. */
async function endInvoice(connection: OpenConnection, id: string, reason: string): Promise<void> {
  const invoice = await readOne(connection, id);
  if (invoice === null || invoice?.isVoid) return;
  if (invoice?.state.status === 'paid')
    throw new VendorError('RoadSync shows the invoice as paid, so it cannot be voided there.', {
      kind: 'conflict',
      code: 'paid_there',
    });
  await callRoadSync(connection, { method: 'POST', path: toPath(id, 'void'), body: { reason } });
}

function assertInvoice(connection: OpenConnection, value: unknown): RoadSyncInvoice {
  const invoice = readInvoice(connection, value);
  if (invoice) return invoice;
  throw new VendorError('RoadSync created an invoice without an id.', {
    kind: 'unknown_outcome',
    code: 'no_id',
  });
}

/** Checks what RoadSync requires, to name what a person can do about it. */
function assertCanCreate(
  connection: OpenConnection,
  { email, phone }: { email: string | null; phone: string | null },
): void {
  assertLocation(connection);
  if (email === null && toPhone(phone) === undefined)
    throw new VendorError(
      'RoadSync needs an email or a phone number of ten digits. Enter one for the customer, then resolve this with retry.',
      { kind: 'refused', code: 'no_contact' },
    );
}
