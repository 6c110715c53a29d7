import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import { SseClient } from '../test/support/network/sse-client.js';
import { findPlace } from '../test/support/vendors/doubles/fleet/driving.js';
import type { Fleet } from '../test/support/vendors/doubles/fleet/fleet.js';
import { SamsaraDouble } from '../test/support/vendors/doubles/samsara/samsara-double.js';
import { readCpuMicroseconds } from './support/cpu.js';
import { createTenant, openBenchDatabase, postToApi, startProduct } from './support/product.js';
import { describeRatio, percentile, print, printMachine } from './support/report.js';
import { startStores, waitFor } from './support/stores.js';

// Measures trucks whose positions a telematics vendor reports every five seconds: the time from the
// vendor's answer until /stream announces it, the CPU time, and how much slower the dispatch board
// and writes become. The vendor's double and the clients share the cores with the product.
const TRUCKS = Number(process.env.BENCH_TRUCKS ?? 2000);
const ACCOUNTS = Number(process.env.BENCH_ACCOUNTS ?? 20);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 60);
const EVERY_MS = 5000;
const LINKS_AT_ONCE = 8;
const BAR = { lagMs: 2000, slower: 1.5 };

interface Account {
  tenantId: string;
  key: string;
  fleet: Fleet;
  connectionId: string;
  /** The times at which the trucks moved and /stream has not announced it yet, in ms since 1970. */
  moves: number[];
}

async function connect(): Promise<Account> {
  const { tenantId, key } = await createTenant(db);
  const fleet = double.openFleet();
  for (let nth = 0; nth < TRUCKS / ACCOUNTS; nth += 1) fleet.addVehicle();
  const { id = '' } = await postToApi(product.origin, key, '/connections', {
    vendor: 'samsara',
    credentials: { api_token: fleet.token },
    settings: { poll_seconds: EVERY_MS / 1000 },
  });
  return { tenantId, key, fleet, connectionId: id, moves: [] };
}

/** Creates a truck for each vehicle of the account, once the service has read the vehicles. */
async function linkVehicles({ key, fleet, connectionId }: Account): Promise<void> {
  const path = `/connections/${connectionId}/vehicles`;
  await waitFor(async () => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${product.origin}/v1${path}?limit=200`, { headers });
    const { data } = (await response.json()) as { data: { items: unknown[] } };
    return data.items.length >= fleet.vehicles.length;
  }, 120_000);
  const waiting = [...fleet.vehicles];
  const link = async () => {
    for (let vehicle = waiting.pop(); vehicle; vehicle = waiting.pop())
      await postToApi(product.origin, key, `${path}/${vehicle.id}/link`, { create: true });
  };
  await Promise.all(Array.from({ length: LINKS_AT_ONCE }, link));
}

interface RequestTimes {
  boardMs: number;
  writeMs: number;
  /** The cores that the product and PostgreSQL kept busy. */
  cores: number;
}

/** Times the board and a write, alternately, of the first account, until the time is over. */
async function timeRequests({ key }: Account): Promise<RequestTimes> {
  const boards: number[] = [];
  const writes: number[] = [];
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const time = async (
    send: () => Promise<{ statusCode: number; body: { bytes(): Promise<Uint8Array> } }>,
  ) => {
    const startedAt = performance.now();
    const { statusCode, body } = await send();
    await body.bytes();
    if (statusCode >= 300) throw new Error(`unexpected response: ${statusCode}`);
    return performance.now() - startedAt;
  };
  const cpuMs = readCpuMs();
  const end = Date.now() + SECONDS * 1000;
  while (Date.now() < end) {
    boards.push(await time(() => request(`${product.origin}/v1/dispatch-board`, { headers })));
    const body = JSON.stringify({ invoice_number: randomUUID(), line_items: [] });
    writes.push(
      await time(() => request(`${product.origin}/v1/invoices`, { method: 'POST', headers, body })),
    );
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  return {
    boardMs: percentile(boards, 0.95),
    writeMs: percentile(writes, 0.95),
    cores: (readCpuMs() - cpuMs) / (SECONDS * 1000),
  };
}

/** Lets all trucks drive. Each account's trucks move together, the accounts one after the other. */
function drive(accounts: readonly Account[]): () => void {
  let step = 0;
  const timer = setInterval(() => {
    const account = accounts[step % accounts.length];
    for (const [index, { id }] of account?.fleet.vehicles.entries() ?? []) {
      const { place, ...members } = findPlace(
        Math.floor(step / accounts.length) + index * 17,
        EVERY_MS / 1000,
      );
      account?.fleet.drive(id, place, members);
    }
    account?.moves.push(Date.now());
    step += 1;
  }, EVERY_MS / accounts.length);
  return () => clearInterval(timer);
}

/**
 * For each announcement, the time since the vendor's answer that it announces, in ms. That is the
 * first answer after the oldest move that was not announced, so a late announcement counts in full.
 */
async function listenAll(accounts: readonly Account[]): Promise<{ lags: number[]; stop: () => void }> {
  const lags: number[] = [];
  const announce = ({ fleet, moves }: Account) => {
    const [movedAt] = moves;
    if (movedAt === undefined) return;
    const readAt = double.listPolls(fleet).find(({ at }) => at > movedAt)?.at;
    if (readAt === undefined) return;
    lags.push(Date.now() - readAt);
    while (moves[0] !== undefined && moves[0] < readAt) moves.shift();
  };
  const clients = await Promise.all(
    accounts.map(async (account) => {
      account.moves.length = 0;
      return SseClient.connect(product.origin, account.key, {
        query: '?changes=true',
        onEvent: ({ body }) => {
          if (body.only === 'positions') announce(account);
        },
      });
    }),
  );
  return { lags, stop: () => clients.forEach((client) => void client.close()) };
}

/** The CPU time of the product and PostgreSQL so far, in ms. */
const readCpuMs = () =>
  [...product.pids, ...Object.values(stores.pids)].reduce((sum, pid) => sum + readCpuMicroseconds(pid), 0) /
  1000;

/**
 * Counts the trucks that do not get to the last place of their vehicle within two reads. Each of
 * them has lost a position.
 */
async function countLost(accounts: readonly Account[]): Promise<number> {
  const count = async () => {
    const found = await db.transaction(
      accounts.map(({ tenantId }) => tenantId),
      (tx) =>
        tx.query<{ unit_number: string; lat: number; lng: number }>({
          text: 'select unit_number, lat::float8 as lat, lng::float8 as lng from trucks where lat is not null',
        }),
    );
    const trucks = new Map(found.map((truck) => [truck.unit_number, truck]));
    const vehicles = accounts.flatMap(({ fleet }) => {
      const last = new Map(fleet.samples.map((sample) => [sample.vehicleId, sample]));
      return fleet.vehicles.map(({ id, name }) => ({ name, sample: last.get(id) }));
    });
    return vehicles.filter(({ name, sample }) => {
      const truck = trucks.get(name);
      if (!truck || !sample) return true;
      return Math.abs(truck.lat - sample.lat) > 1e-5 || Math.abs(truck.lng - sample.lng) > 1e-5;
    }).length;
  };
  const end = Date.now() + 3 * EVERY_MS;
  let lost = await count();
  while (lost > 0 && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    lost = await count();
  }
  return lost;
}

printMachine();
const stores = await startStores({ redis: false });
const double = await new SamsaraDouble().start();
const db = openBenchDatabase(stores);
const product = await startProduct(stores, 'all', {
  settings: {
    NODE_ENV: 'development',
    DEMO: 'false',
    INTEGRATIONS: JSON.stringify({ samsara: { base_url: double.origin } }),
  },
});
const accounts: Account[] = [];
for (let nth = 0; nth < ACCOUNTS; nth += 1) accounts.push(await connect());
for (const account of accounts) await linkVehicles(account);
print(`${TRUCKS} trucks of ${ACCOUNTS} accounts are linked`);
const [first] = accounts as [Account];
const quiet = await timeRequests(first);
const stopDriving = drive(accounts);
await new Promise((resolve) => setTimeout(resolve, 3 * EVERY_MS));
const { lags, stop } = await listenAll(accounts);
const busy = await timeRequests(first);
stop();
stopDriving();
const tenantIds = accounts.map(({ tenantId }) => tenantId);
const [fresh] = await db.transaction(tenantIds, (tx) =>
  tx.query<{ trucks: number }>({
    text: "select count(*)::int as trucks from trucks where located_at > now() - interval '15 seconds'",
  }),
);
const lost = await countLost(accounts);
print(`trucks with a position of the last 15 s: ${fresh?.trucks} of ${TRUCKS}`);
print(
  `from the vendor's answer to the announcement, of ${lags.length}: p50 ${Math.round(percentile(lags, 0.5))} ms, p95 ${Math.round(percentile(lags, 0.95))} ms (bar: ${BAR.lagMs} ms)`,
);
print(`CPU of the product and PostgreSQL: ${busy.cores.toFixed(2)} cores, quiet ${quiet.cores.toFixed(2)}`);
for (const name of ['boardMs', 'writeMs'] as const)
  print(
    `p95 of ${name === 'boardMs' ? 'the board' : 'a write'}: ${busy[name].toFixed(1)} ms, quiet ${quiet[name].toFixed(1)} ms, ratio ${describeRatio(busy[name], quiet[name])} (bar: ${BAR.slower})`,
  );
print(`trucks that did not get to the last place of their vehicle: ${lost} of ${TRUCKS}`);
print(`violations of the vendor's contract: ${double.violations.length}`);
const isSlow = percentile(lags, 0.95) > BAR.lagMs || lags.length === 0;
const isSlower = (['boardMs', 'writeMs'] as const).some((name) => busy[name] > quiet[name] * BAR.slower);
if (isSlow || isSlower) print('a bar is missed');
if (isSlow || isSlower || lost > 0 || fresh?.trucks !== TRUCKS || double.violations.length > 0)
  process.exitCode = 1;
await product.stop();
await double.stop();
await db.close();
await stores.stop();
process.exit();
