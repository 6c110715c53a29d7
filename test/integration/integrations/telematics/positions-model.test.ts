/**
 * Drives a truck along a random way. The vendor reports positions out of sequence, twice, late or
 * never. After each poll, the truck is at the newest reported place. At the end, the kept positions
 * and the driven miles are as a model computes.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import type { DrivePosition } from '../../../../shared/resources/work-orders/driven/measure-drive.js';
import { countRuns } from '../../../support/count-runs.js';
import { DrivenJob } from '../../../support/driving/driven-jobs.js';
import { driveNorth, type Leg } from '../../../support/driving/drives.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { type TrackingAccount, useTrackingStack } from '../../../support/vendors/telematics/tracking.js';
import { labelOf, VENDOR_NAMES, type VendorName } from '../../../support/vendors/telematics/vendors.js';

const SEED = Number(process.env.FC_SEED ?? Date.now() | 0);
const RUNS = countRuns(10);
const EVERY_SECONDS = 15;
/** At most one position is kept in each interval. */
const INTERVAL_MS = 30_000;
/** Kept positions are then at most three minutes apart, as the service trusts. */
const MAX_GAP_MS = 180_000 - INTERVAL_MS;
/** A position of Motive that is older by so much than that of the poll before is left out. */
const MOTIVE_OVERLAP_MS = 120_000;
/** The truck stands so long before and after its way. */
const PARKED: Leg = { minutes: 3, mph: 0 };
const MILES_PER_DEGREE = (3958.8 * Math.PI) / 180;
/**
 * The service takes a move of less than 0.03 miles for noise, so it may not count the last one, and
 * it rounds to 0.1.
 */
const MAX_ERROR_MILES = 0.081;

/** How a sample reaches the vendor: in time, twice, never, or some reports later. */
type Fate = 'sent' | 'twice' | 'lost' | 'late';

interface Way {
  legs: readonly Leg[];
  fates: readonly Fate[];
  /** How many reports the vendor has between two polls. */
  chunks: readonly number[];
  pageSize: number;
}

const way: fc.Arbitrary<Way> = fc.record({
  legs: fc.array(
    fc.record({ minutes: fc.integer({ min: 1, max: 3 }), mph: fc.constantFrom(0, 12, 30, 45, 60) }),
    { minLength: 1, maxLength: 3 },
  ),
  fates: fc.array(fc.constantFrom<Fate>('sent', 'sent', 'sent', 'twice', 'lost', 'late'), {
    minLength: 60,
    maxLength: 60,
  }),
  chunks: fc.array(fc.integer({ min: 2, max: 6 }), { minLength: 30, maxLength: 30 }),
  pageSize: fc.integer({ min: 2, max: 30 }),
});

/** Lists the drive's samples, from its first minute. */
function listSamples({ legs }: Way, startMs = 0): DrivePosition[] {
  return driveNorth([PARKED, ...legs, PARKED], { startMs, everySeconds: EVERY_SECONDS });
}

/** Lists what the vendor gets before each poll. The first and the last sample always reach it. */
function listReports({ fates, chunks }: Way, samples: readonly DrivePosition[]): DrivePosition[][] {
  const reports: DrivePosition[] = [];
  let late: DrivePosition[] = [];
  for (const [nth, sample] of samples.entries()) {
    const isEnd = nth === 0 || nth === samples.length - 1;
    const fate = isEnd ? 'sent' : fates[nth % fates.length];
    if (fate === 'late') late.push(sample);
    if (late.length === 3 || isEnd) {
      // The newest of them comes first.
      reports.push(...late.reverse());
      late = [];
    }
    if (fate === 'sent' || fate === 'twice') reports.push(sample, ...(fate === 'twice' ? [sample] : []));
  }
  const batches: DrivePosition[][] = [];
  for (let [first, nth] = [0, 0]; first < reports.length; nth++) {
    const size = chunks[nth % chunks.length] ?? 1;
    batches.push(reports.slice(first, first + size));
    first += size;
  }
  return batches;
}

/**
 * Lists what the polls take over. Samsara shows all reports, and Motive only the last one before a
 * poll. Of Motive's, one that is much older than that of the poll before is left out.
 */
function listShown(vendor: VendorName, batches: readonly DrivePosition[][]): DrivePosition[][] {
  if (vendor === 'samsara') return [...batches];
  const atOf = (nth: number) => batches[nth]?.at(-1)?.atMs ?? 0;
  return batches.map((batch, nth) => (atOf(nth) >= atOf(nth - 1) - MOTIVE_OVERLAP_MS ? batch.slice(-1) : []));
}

/** True if the vendor shows where the truck was, well enough to measure its drive. */
function isMeasurable(vendor: VendorName, one: Way): boolean {
  const samples = listSamples(one);
  const times = listShown(vendor, listReports(one, samples))
    .flatMap((shown) => shown.map(({ atMs }) => atMs))
    .sort((a, b) => a - b);
  const ends = [samples[0]?.atMs ?? 0, ...times, samples.at(-1)?.atMs ?? 0];
  return ends.every((atMs, nth) => atMs - (ends[nth - 1] ?? atMs) <= MAX_GAP_MS);
}

for (const vendor of VENDOR_NAMES)
  describe(`any stream of positions from ${labelOf(vendor)} (seed ${SEED}; FC_SEED repeats it)`, function () {
    this.timeout(200_000);
    requireContracts();
    const tracking = useTrackingStack();

    async function drive(account: TrackingAccount, one: Way): Promise<void> {
      const { fleet, client } = account;
      const vehicle = fleet.vehicles[0]?.id as string;
      const job = await DrivenJob.dispatch(account.stack, account.tenant, 60);
      const linked = await account.link(vehicle, { truck_id: job.truckId });
      expect(linked.status, linked.text).to.equal(200);
      // A new link reads only the latest position again.
      await account.waitForPositions();
      await account.poll();
      account.double.pageSize = one.pageSize;
      const samples = listSamples(one, job.startMs);
      const shown: DrivePosition[] = [];
      let newest: DrivePosition | undefined;
      const batches = listReports(one, samples);
      const taken = listShown(vendor, batches);
      for (const [nth, batch] of batches.entries()) {
        for (const { lat, lng, speedMph, atMs } of batch)
          fleet.drive(vehicle, [lat, lng], { mph: speedMph ?? 0, time: new Date(atMs).toISOString() });
        shown.push(...(taken[nth] ?? []));
        await account.poll();
        newest = shown.reduce((last, other) => (other.atMs > last.atMs ? other : last));
        const { location } = await account.readTruck(job.truckId);
        expect([location.lat, Date.parse(location.at)]).to.deep.equal([newest.lat, newest.atMs]);
      }
      const { items } = (await client.get(`/trucks/${job.truckId}/positions?limit=200`)).body.data;
      expectKept(items, shown);
      const lengthMs = (samples.at(-1)?.atMs ?? 0) - job.startMs;
      await job.complete(lengthMs / 60_000);
      const { driven } = await job.measure();
      const miles = ((samples.at(-1)?.lat ?? 0) - (samples[0]?.lat ?? 0)) * MILES_PER_DEGREE;
      const unseenMs = Date.parse(items.at(-1).at) - job.startMs;
      const coverage = Math.floor((1 - unseenMs / lengthMs) * 100) / 100;
      expect(driven).to.include({ coverage, source: 'positions' });
      expect(driven.miles).to.be.closeTo(miles, MAX_ERROR_MILES);
    }

    /** Checks that each interval with a shown position has one of them, the newest first. */
    function expectKept(items: { at: string; lat: number }[], shown: readonly DrivePosition[]): void {
      const toInterval = (ms: number) => Math.floor(ms / INTERVAL_MS);
      const intervals = [...new Set(shown.map(({ atMs }) => toInterval(atMs)))].sort((a, b) => b - a);
      expect(items.map(({ at }) => toInterval(Date.parse(at)))).to.deep.equal(intervals);
      const latAt = new Map(shown.map(({ atMs, lat }) => [atMs, lat]));
      for (const { at, lat } of items) expect(lat, at).to.equal(latAt.get(Date.parse(at)));
    }

    it('leaves the newest position on the truck, one kept in each half minute, and the driven miles', async () => {
      const ways = way.filter((one) => isMeasurable(vendor, one));
      await fc.assert(
        fc.asyncProperty(ways, async (one) => {
          const fleet = tracking.doubles[vendor].openFleet();
          fleet.addVehicle();
          await drive(await tracking.createAccount(vendor, { fleet }), one);
        }),
        { numRuns: RUNS, seed: SEED, endOnFailure: true },
      );
    });
  });
