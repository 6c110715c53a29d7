import type { ServerResponse } from 'node:http';
import type { Database } from '../shared/platform/postgres/database.js';
import type { ReceivedCall } from '../test/support/vendors/contracts/vendor-double.js';
import { TwilioDouble } from '../test/support/vendors/doubles/twilio/twilio-double.js';
import { createTenant, openBenchDatabase, postToApi, startProduct } from './support/product.js';
import { print, printMachine } from './support/report.js';
import { startStores, waitFor } from './support/stores.js';

// Measures how fast the due texts of one account leave through a double of Twilio, which allows an
// account 100 requests a second and answers after the time that Twilio usually takes. Then measures
// how much another account's texts are slowed down by a connection whose vendor never answers.
const TEXTS = Number(process.env.BENCH_TEXTS ?? 10_000);
const BESIDE = Number(process.env.BENCH_TEXTS_BESIDE ?? 1000);
const ANSWER_MS = Number(process.env.BENCH_ANSWER_MS ?? 60);
const PARALLEL_WRITES = 32;
/** Twilio's limit. */
const MAX_PER_SECOND = 100;

/** A double that accepts the requests of one account, and never answers them. */
class HangingDouble extends TwilioDouble {
  hungSid: string | undefined;

  protected override async serve(call: ReceivedCall, response: ServerResponse): Promise<void> {
    if (this.hungSid && call.url.pathname.includes(this.hungSid)) return;
    await super.serve(call, response);
  }
}

interface Texter {
  key: string;
  connectionId: string;
  accountSid: string;
}

async function connect(origin: string, db: Database, double: HangingDouble): Promise<Texter> {
  const { key } = await createTenant(db);
  const { accountSid, authToken: auth_token } = double.openAccount();
  const { id = '' } = await postToApi(origin, key, '/connections', {
    vendor: 'twilio',
    credentials: { account_sid: accountSid, auth_token },
    settings: { from_number: '+15185550100' },
  });
  await waitFor(async () => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${origin}/v1/connections/${id}`, { headers });
    const connection = (await response.json()) as { status: string; external_account: string | null };
    return connection.status === 'active' && connection.external_account !== null;
  });
  return { key, connectionId: id, accountSid };
}

/** Writes texts while their connection is paused, so that all of them are due when it resumes. */
async function writeTexts(origin: string, { key, connectionId }: Texter, count: number): Promise<void> {
  await postToApi(origin, key, `/connections/${connectionId}/pause`, {});
  let next = 0;
  const write = async () => {
    for (let nth = next++; nth < count; nth = next++)
      await postToApi(origin, key, '/messages', {
        to: `+1212${5_000_000 + nth}`,
        text: 'The driver is at the gate.',
      });
  };
  await Promise.all(Array.from({ length: PARALLEL_WRITES }, write));
}

/** Lets due texts leave. Returns the time of each request, in ms since 1970. */
async function sendTexts(
  origin: string,
  { key, connectionId }: Texter,
  { double, count }: { double: TwilioDouble; count: number },
): Promise<number[]> {
  double.calls.length = 0;
  await postToApi(origin, key, `/connections/${connectionId}/resume`, {});
  const listSends = () =>
    double.calls.filter(({ name }) => name === 'POST Messages.json').map(({ at }) => at);
  await waitFor(async () => listSends().length >= count, 600_000);
  return listSends();
}

/** Returns the texts per second, and the most that left within any second. */
function measure(sends: readonly number[]): { perSecond: number; mostPerSecond: number } {
  const seconds = ((sends.at(-1) ?? 0) - (sends[0] ?? 0)) / 1000;
  let first = 0;
  let most = 0;
  for (const [nth, at] of sends.entries()) {
    while (at - (sends[first] ?? 0) >= 1000) first += 1;
    most = Math.max(most, nth - first + 1);
  }
  return { perSecond: (sends.length - 1) / seconds, mostPerSecond: most };
}

printMachine();
const stores = await startStores({ redis: false });
const double = new HangingDouble();
await double.start();
double.misbehave = () => ({ kind: 'slow', ms: ANSWER_MS });
const db = openBenchDatabase(stores);
const product = await startProduct(stores, 'all', {
  settings: {
    NODE_ENV: 'development',
    DEMO: 'false',
    MAILS_PER_DAY: '1000000',
    INTEGRATIONS: JSON.stringify({ twilio: { base_url: double.origin } }),
  },
});
const { origin } = product;
const texter = await connect(origin, db, double);
const run = async (count: number) => {
  await writeTexts(origin, texter, count);
  return measure(await sendTexts(origin, texter, { double, count }));
};
const all = await run(TEXTS);
print(
  `${TEXTS} texts of one account: ${all.perSecond.toFixed(1)}/s, at most ${all.mostPerSecond} in any second (bar: 95/s, at most ${MAX_PER_SECOND})`,
);
const quiet = await run(BESIDE);
const hung = await connect(origin, db, double);
await writeTexts(origin, hung, BESIDE);
double.hungSid = hung.accountSid;
await postToApi(origin, hung.key, `/connections/${hung.connectionId}/resume`, {});
const beside = await run(BESIDE);
const ratio = quiet.perSecond / beside.perSecond;
print(
  `${BESIDE} texts: ${quiet.perSecond.toFixed(1)}/s; beside an account whose vendor never answers ${beside.perSecond.toFixed(1)}/s; ratio ${ratio.toFixed(2)} (bar: at most 1.5)`,
);
print(`violations of the vendor's contract: ${double.violations.length}`);
await product.stop();
await double.stop();
await db.close();
await stores.stop();
// A limit that was broken is a fault, whatever the rate.
const hasBroken = double.violations.length > 0 || all.mostPerSecond > MAX_PER_SECOND;
process.exit(hasBroken ? 1 : 0);
