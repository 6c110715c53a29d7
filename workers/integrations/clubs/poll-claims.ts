import { failpoint } from '../../../shared/config/failpoints.js';
import type { Change, OpenConnection } from '../../../shared/integrations/contract/connection.js';
import type { ClubClaimState } from '../../../shared/integrations/contract/motor-club.js';
import type { VendorError } from '../../../shared/integrations/contract/vendor-error.js';
import { LOWEST_ID } from '../../../shared/platform/ids.js';
import { toStorable } from '../../../shared/platform/storable-text.js';
import { findPolledClaims, type PolledClaim } from '../../../shared/resources/claims/partner-queries.js';
import { CLAIM_KIND } from '../../../shared/resources/open-claims/store.js';
import { forgetVersions, markCompared } from '../../../shared/sync/external-ids.js';
import { readLater } from '../../../shared/sync/notice-rows.js';
import { type DueStream, storeStreamProgress } from '../../../shared/sync/stream-rows.js';
import { LEFT_WAIT_MS, recordChanges, storeChanges } from '../records/store-changes.js';
import type { Step, StepCommand } from '../vendor/step.js';
import { toStepError } from '../vendor/to-step-error.js';
import { claimRecords } from './claims.js';
import { getMotorClub } from './get-motor-club.js';
import { type SettledSurplus, settleSurplus } from './surplus.js';

/** The number of claims that one step reads. */
const CLAIMS_PER_STEP = 20;
/** After this many reads without a usable answer, the step reads no more claims. */
const MAX_FAILURES = 3;
/** Begins the cursor of a pull that reads all claims. */
const ALL = 'all/';

/**
 * Reads the states of claims at the billing partner, one by one. A claim is read less often, the
 * longer it waits. A person who asks for a pull since some time gets all claims read.
 */
export async function pollClaims(step: Step, stream: DueStream, startedAt: Date): Promise<void> {
  const after = findStart(stream);
  const due = await findPolledClaims(step.db, step.connection, { after, limit: CLAIMS_PER_STEP });
  const { changes, read, lastId, found, error } = toStorable(await readClaims(step, due));
  const isLast = due.length < CLAIMS_PER_STEP && (after === null || lastId === due.at(-1)?.id);
  const { config } = step.services.runtime;
  failpoint(config, 'before_page_stored');
  const commands: StepCommand[] = [...found];
  await step.finish({
    error,
    commands,
    async store(tx) {
      const compared = due.filter(({ must_compare }) => must_compare).map(({ external_id }) => external_id);
      await forgetVersions(tx, step.connection, { kind: CLAIM_KIND, externalIds: compared });
      const stored = await storeChanges(tx, step, { kind: claimRecords, changes });
      commands.push(...stored.commands);
      markCompared(tx, step.connection, { kind: CLAIM_KIND, externalIds: read });
      await readLater(tx, step.connection, { stream: stream.stream, hints: stored.left, inMs: LEFT_WAIT_MS });
      storeStreamProgress(tx, step.connection, {
        stream: stream.stream,
        cursor: after === null || isLast ? null : `${ALL}${lastId}`,
        inMs: isLast ? stream.every_seconds * 1000 : 0,
        requests: stream.requests,
      });
      recordChanges(tx, step, { stream: stream.stream, startedAt, ...stored });
    },
  });
  failpoint(config, 'after_page_stored');
}

/** Returns the id after which all claims are read; null to read those that are due. */
function findStart({ since, cursor }: DueStream): string | null {
  if (since !== null) return LOWEST_ID;
  return cursor?.startsWith(ALL) ? cursor.slice(ALL.length) : null;
}

interface ReadClaims {
  changes: Change<ClubClaimState>[];
  /** The partner's ids of the claims that were tried. */
  read: string[];
  /** Our id of the last claim that was tried. */
  lastId: string | undefined;
  /** The commands about invoices that bill an attempt twice. */
  found: StepCommand[];
  /** The error that ended the reading; what was read before it is stored. */
  error: VendorError | undefined;
}

/**
 * Reads claims. Leaves out a claim that the partner cannot show, so that it does not stop the
 * others.
 * @throws {VendorError} if the partner is unavailable, or accepts no calls now
 */
async function readClaims(step: Step, due: readonly PolledClaim[]): Promise<ReadClaims> {
  const claims: ReadClaims = { changes: [], read: [], lastId: undefined, found: [], error: undefined };
  if (due.length === 0) return claims;
  const connection = await step.open();
  let failures = 0;
  for (const claim of due) {
    const { isRead, change, found, error } = await readClaim(step, connection, claim);
    if (error?.kind === 'again') failures++;
    const mustStop = error !== undefined && (isUnavailable(error) || failures >= MAX_FAILURES);
    if (mustStop && !isRead) {
      // What was read so far is stored. The next step begins with this claim.
      if (claims.changes.length === 0) throw error;
      claims.error = error;
      break;
    }
    if (change) claims.changes.push(change);
    claims.found.push(...found);
    claims.read.push(claim.external_id);
    claims.lastId = claim.id;
    if (!mustStop) continue;
    // The partner answers about claims, so only its refusals concern the next step too.
    if (isUnavailable(error)) claims.error = error;
    break;
  }
  return claims;
}

/** True unless the partner answered about this one claim, which other claims may not share. */
function isUnavailable({ kind, code }: VendorError): boolean {
  if (kind === 'auth' || kind === 'limit') return true;
  return kind === 'again' && !code.startsWith('http_') && code !== 'not_json';
}

/** Reads one claim. An error about its second invoices does not lose what was read before it. */
async function readClaim(
  step: Step,
  connection: OpenConnection,
  claim: PolledClaim,
): Promise<SettledSurplus & { isRead: boolean; change?: Change<ClubClaimState> | undefined }> {
  try {
    const change = await getMotorClub(step).read(connection, claim.external_id);
    const settled = claim.may_have_surplus ? await settleSurplus(step, connection, claim) : { found: [] };
    return { isRead: true, change, ...settled };
  } catch (error) {
    // An error in our own code concerns this one claim too: its record may be malformed.
    return { isRead: false, found: [], error: toStepError(step, error) };
  }
}
