/**
 * A complete webhook receiver. Run `npx tsx docs/webhooks/receiver.ts whsec_… [port]`, or set
 * WEBHOOK_SECRET and PORT in the environment. Instead of the secret, you can give a public key
 * (`whpk_…`). The receiver prints each event once, even if it receives several deliveries of the
 * event.
 */
import { createServer } from 'node:http';
import { verify } from './verify.js';
import { verifyV1a } from './verify-v1a.js';

const [secret = process.env.WEBHOOK_SECRET ?? '', port = process.env.PORT ?? '4000'] = process.argv.slice(2);
if (!/^wh(sec|pk)_/.test(secret)) {
  console.error('usage: npx tsx docs/webhooks/receiver.ts <whsec_… or whpk_…> [port]');
  process.exit(2);
}
const verifyDelivery = secret.startsWith('whpk_') ? verifyV1a : verify;
/**
 * Ids of the events that were received before. A production receiver stores these ids in its
 * database, in the transaction that handles the event.
 */
const seenEventIds = new Set<string>();

const server = createServer(async (request, response) => {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const event = verifyDelivery(secret, request.headers, Buffer.concat(chunks));
    const isNew = !seenEventIds.has(event.id);
    seenEventIds.add(event.id);
    response.writeHead(204).end();
    if (isNew) console.log(`verified ${event.type} ${event.id} ${JSON.stringify(event.data)}`);
  } catch (error) {
    response.writeHead(400).end();
    console.error(`refused ${request.headers['webhook-id']}: ${(error as Error).message}`);
  }
});

server.listen(Number(port), '127.0.0.1', () => {
  const { port: listening } = server.address() as { port: number };
  console.log(`listening on http://127.0.0.1:${listening}`);
});
