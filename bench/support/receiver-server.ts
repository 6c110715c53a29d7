/**
 * Runs webhook receivers in a separate process, which the bench controls over IPC. Receivers do as
 * little work per request as possible.
 */
import { createHmac } from 'node:crypto';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

interface Receiver {
  key: Buffer | undefined;
  mode: 'answer' | 'hang';
}

const receivers: Receiver[] = [];
const servers: Server[] = [];
const HEAD_END = Buffer.from('\r\n\r\n');
const RESPONSE = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
/**
 * Only one in this many signatures is checked, because a check costs as much as the rest of a
 * request.
 */
const REQUESTS_PER_CHECK = 20;

let stats = newStats();

function newStats() {
  return {
    count: 0,
    first: 0,
    last: 0,
    faults: 0,
    checked: 0,
    ids: new Set<string>(),
    lagsMs: [] as number[],
  };
}

async function listen(receiver: Receiver): Promise<number> {
  const server = createServer({ noDelay: true }, (socket) => serve(socket, receiver));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 511, resolve));
  return (server.address() as AddressInfo).port;
}

function serve(socket: Socket, receiver: Receiver): void {
  let pending = Buffer.alloc(0);
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    for (;;) {
      const end = pending.indexOf(HEAD_END);
      if (end < 0) return;
      const head = pending.toString('latin1', 0, end);
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      const total = end + 4 + length;
      if (pending.length < total) return;
      if (receiver.mode === 'hang') return;
      receive(receiver, head, pending.subarray(end + 4, total));
      pending = pending.subarray(total);
      socket.write(RESPONSE);
    }
  });
}

function receive({ key }: Receiver, head: string, body: Buffer): void {
  const now = Date.now();
  stats.count += 1;
  stats.first ||= now;
  stats.last = now;
  const id = /\r\nwebhook-id: (\S+)/i.exec(head)?.[1] ?? '';
  stats.ids.add(id);
  const at = /"timestamp":"([^"]+)"/.exec(body.toString('latin1', 0, 300))?.[1];
  if (at) stats.lagsMs.push(now - Date.parse(at));
  if (!key || stats.count % REQUESTS_PER_CHECK !== 0) return;
  const timestamp = /\r\nwebhook-timestamp: (\d+)/i.exec(head)?.[1];
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  stats.checked += 1;
  if (!head.includes(`v1,${signature}`)) stats.faults += 1;
}

type IpcMessage =
  | { type: 'add'; keys: (string | null)[]; mode: Receiver['mode'] }
  | { type: 'reset' }
  | { type: 'stats' };

process.on('message', async (message: IpcMessage) => {
  if (message.type === 'add') {
    const added = message.keys.map((key) => ({
      key: key === null ? undefined : Buffer.from(key, 'base64'),
      mode: message.mode,
    }));
    receivers.push(...added);
    process.send?.(await Promise.all(added.map(listen)));
  } else if (message.type === 'reset') {
    stats = newStats();
    process.send?.(true);
  } else {
    const { ids, ...rest } = stats;
    process.send?.({ ...rest, distinct: ids.size });
  }
});
process.on('disconnect', () => process.exit(0));
