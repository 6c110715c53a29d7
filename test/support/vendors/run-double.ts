/**
 * Runs the double of a vendor in the foreground, for people who try the product without an account
 * at the vendor: `npx tow vendor-double stripe`, `twilio`, `quickbooks`, `xero`, `samsara`,
 * `motive` or `roadsync`.
 */
import { parseArgs } from 'node:util';
import type { FleetDouble } from './doubles/fleet/fleet-double.js';

interface RunningDouble {
  origin: string;
  stop(): Promise<void>;
}

interface VendorDouble {
  /** The usual port. */
  port: number;
  start: (port: number) => Promise<RunningDouble>;
  /** Tells the person what to do next. */
  hint: string;
  /** Reads the settings of the operator's application at the vendor. */
  readApplication?: () => Promise<object>;
}

/** The vendors with a double. A vendor loads the code of its own double only, to start sooner. */
const DOUBLES: Readonly<Record<string, VendorDouble>> = {
  stripe: {
    port: 12_111,
    async start(port) {
      const { StripeDouble } = await import('./doubles/stripe/stripe-double.js');
      const double = new StripeDouble();
      double.opensAnyKey = true;
      return double.start(port);
    },
    hint: 'Connect Stripe with any key, such as sk_live_demo (in a sandbox sk_test_demo), and any signing secret that begins with whsec_. Then enter the connection’s webhook address and the secret at the control page.',
  },
  twilio: {
    port: 12_112,
    async start(port) {
      const { TwilioDouble } = await import('./doubles/twilio/twilio-double.js');
      const double = new TwilioDouble();
      double.opensAnyAccount = true;
      return double.start(port);
    },
    hint: `Connect Twilio with the account SID AC${'0'.repeat(32)}, any auth token and the number +15185550100. Then enter the addresses for texts and calls of the connection’s tab Settings (inbound_urls) at the control page.`,
  },
  quickbooks: {
    port: 12_113,
    async start(port) {
      const { QuickBooksDouble } = await import('./doubles/quickbooks/quickbooks-double.js');
      const double = new QuickBooksDouble();
      double.openCompany();
      return double.start(port);
    },
    hint: 'Connect QuickBooks Online and choose a company at the sign-in. Then enter the connection’s webhook address and the verifier token books-webhooks at the control page.',
    async readApplication() {
      const { BOOKS_APP } = await import('./doubles/quickbooks/oauth.js');
      return { ...BOOKS_APP, webhook_secret: 'books-webhooks' };
    },
  },
  xero: {
    port: 12_114,
    async start(port) {
      const { XeroDouble } = await import('./doubles/xero/xero-double.js');
      const double = new XeroDouble();
      double.limitsMinute = true;
      double.openOrganisation();
      double.openOrganisation('Demo Company').isDemo = true;
      return double.start(port);
    },
    hint: 'Connect Xero and choose an organisation at the sign-in; a sandbox account takes the demo. Then enter the connection’s webhook address and the webhook key xero-webhooks at the control page.',
    async readApplication() {
      const { XERO_APP } = await import('./doubles/xero/sign-ins.js');
      return { ...XERO_APP, webhook_secret: 'xero-webhooks' };
    },
  },
  samsara: {
    port: 12_115,
    async start(port) {
      const { SamsaraDouble } = await import('./doubles/samsara/samsara-double.js');
      return startFleet(new SamsaraDouble(), port);
    },
    hint: 'Connect Samsara with any API token, such as samsara_api_demo, and the webhook secret ZGVtby1zZWNyZXQ=. Then enter the connection’s webhook address and that secret at the control page.',
  },
  motive: {
    port: 12_117,
    async start(port) {
      const { MotiveDouble } = await import('./doubles/motive/motive-double.js');
      return startFleet(new MotiveDouble(), port);
    },
    hint: 'Connect Motive with any API key, such as motive-demo, and the webhook secret motive-demo-webhooks. Then enter the connection’s webhook address and that secret at the control page.',
  },
  roadsync: {
    port: 12_116,
    async start(port) {
      const { RoadSyncDouble } = await import('./doubles/roadsync/roadsync-double.js');
      const double = new RoadSyncDouble();
      double.openCompany({ apiKey: 'roadsync-demo-key', id: 'demo-company' });
      return double.start(port);
    },
    hint: 'Connect RoadSync with the API key roadsync-demo-key, the company demo-company and the location demo-company-1. For a denial that is corrected by itself, add the denial rule {"contains": "PO missing", "code": "missing_po"}. Then accept, deny or pay the invoices at the control page.',
  },
};

/** Any key opens a fleet whose trucks drive. */
async function startFleet(double: FleetDouble, port: number): Promise<RunningDouble> {
  const { addDemoVehicles, startDriving } = await import('./doubles/fleet/driving.js');
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
const application = await found.readApplication?.();
const setting = JSON.stringify({ [name]: { base_url: double.origin, ...application } });
process.stdout.write(`The double of ${name} listens on ${double.origin}. Nothing leaves this machine.

1. Start the product with:  INTEGRATIONS='${setting}' npm start
2. ${found.hint}
   Control page:            ${double.origin}/double/
`);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void double.stop().then(() => process.exit(0)));
