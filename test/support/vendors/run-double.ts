/**
 * Runs the double of a vendor in the foreground, for people who try the product without an account
 * at the vendor: `npx tow vendor-double stripe`, `twilio`, `quickbooks`, `xero`, `samsara`,
 * `motive` or `roadsync`.
 */
import { parseArgs } from 'node:util';
import { addDemoVehicles, startDriving } from './doubles/fleet/driving.js';
import type { FleetDouble } from './doubles/fleet/fleet-double.js';
import { MotiveDouble } from './doubles/motive/motive-double.js';
import { BOOKS_APP } from './doubles/quickbooks/oauth.js';
import { QuickBooksDouble } from './doubles/quickbooks/quickbooks-double.js';
import { RoadSyncDouble } from './doubles/roadsync/roadsync-double.js';
import { SamsaraDouble } from './doubles/samsara/samsara-double.js';
import { StripeDouble } from './doubles/stripe/stripe-double.js';
import { TwilioDouble } from './doubles/twilio/twilio-double.js';
import { XERO_APP } from './doubles/xero/sign-ins.js';
import { XeroDouble } from './doubles/xero/xero-double.js';

interface RunningDouble {
  origin: string;
  stop(): Promise<void>;
}

/**
 * Maps each vendor with a double to the usual port, and to a hint that tells the person what to do
 * next.
 */
const DOUBLES: Readonly<
  Record<
    string,
    { port: number; start: (port: number) => Promise<RunningDouble>; hint: string; application?: object }
  >
> = {
  stripe: {
    port: 12_111,
    async start(port) {
      const double = new StripeDouble();
      double.opensAnyKey = true;
      return double.start(port);
    },
    hint: 'Connect Stripe with any key, such as sk_live_demo (in a sandbox sk_test_demo), and any signing secret that begins with whsec_. Then enter the connection’s webhook address and the secret at the control page.',
  },
  twilio: {
    port: 12_112,
    async start(port) {
      const double = new TwilioDouble();
      double.opensAnyAccount = true;
      return double.start(port);
    },
    hint: `Connect Twilio with the account SID AC${'0'.repeat(32)}, any auth token and the number +15185550100. Then enter the addresses for texts and calls of the connection’s tab Settings (inbound_urls) at the control page.`,
  },
  quickbooks: {
    port: 12_113,
    async start(port) {
      const double = new QuickBooksDouble();
      double.openCompany();
      return double.start(port);
    },
    hint: 'Connect QuickBooks Online and choose a company at the sign-in. Then enter the connection’s webhook address and the verifier token books-webhooks at the control page.',
    application: { ...BOOKS_APP, webhook_secret: 'books-webhooks' },
  },
  xero: {
    port: 12_114,
    async start(port) {
      const double = new XeroDouble();
      double.limitsMinute = true;
      double.openOrganisation();
      double.openOrganisation('Demo Company').isDemo = true;
      return double.start(port);
    },
    hint: 'Connect Xero and choose an organisation at the sign-in; a sandbox account takes the demo. Then enter the connection’s webhook address and the webhook key xero-webhooks at the control page.',
    application: { ...XERO_APP, webhook_secret: 'xero-webhooks' },
  },
  samsara: {
    port: 12_115,
    start: (port) => startFleet(new SamsaraDouble(), port),
    hint: 'Connect Samsara with any API token, such as samsara_api_demo, and the webhook secret ZGVtby1zZWNyZXQ=. Then enter the connection’s webhook address and that secret at the control page.',
  },
  motive: {
    port: 12_117,
    start: (port) => startFleet(new MotiveDouble(), port),
    hint: 'Connect Motive with any API key, such as motive-demo, and the webhook secret motive-demo-webhooks. Then enter the connection’s webhook address and that secret at the control page.',
  },
  roadsync: {
    port: 12_116,
    async start(port) {
      const double = new RoadSyncDouble();
      double.openCompany({ apiKey: 'roadsync-demo-key', id: 'demo-company' });
      return double.start(port);
    },
    hint: 'Connect RoadSync with the API key roadsync-demo-key, the company demo-company and the location demo-company-1. For a denial that is corrected by itself, add the denial rule {"contains": "PO missing", "code": "missing_po"}. Then accept, deny or pay the invoices at the control page.',
  },
};

/** Any key opens a fleet whose trucks drive. */
function startFleet(double: FleetDouble, port: number): Promise<RunningDouble> {
  double.opensAnyToken = true;
  double.onOpened = addDemoVehicles;
  startDriving(double.fleets);
  return double.start(port);
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { port: { type: 'string' } },
});
const name = positionals[0] ?? '';
const found = DOUBLES[name];
if (!found) {
  process.stderr.write(`There is no double of "${name}". There are: ${Object.keys(DOUBLES).join(', ')}.\n`);
  process.exit(2);
}
const port = values.port === undefined ? found.port : Number(values.port);
const double = await found.start(port).catch((error: NodeJS.ErrnoException) => {
  if (error.code !== 'EADDRINUSE') throw error;
  process.stderr.write(`Another program uses port ${port}. Choose a port with --port.\n`);
  process.exit(1);
});
const setting = JSON.stringify({ [name]: { base_url: double.origin, ...found.application } });
process.stdout.write(`The double of ${name} listens on ${double.origin}. Nothing leaves this machine.

1. Start the product with:  INTEGRATIONS='${setting}' npm start
2. ${found.hint}
   Control page:            ${double.origin}/double/
`);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void double.stop().then(() => process.exit(0)));
