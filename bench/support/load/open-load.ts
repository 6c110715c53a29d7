import { connect, type Socket } from 'node:net';
import { percentile } from '../report.js';

export interface Sender {
  name: string;
  perSecond: number;
  connections: number;
  /** Returns a complete HTTP request as raw text. */
  request: () => string;
}

export interface OpenLoadOptions {
  origin: string;
  seconds: number;
  senders: Sender[];
}

/** The results of one sender. Times are in ms. */
export interface SenderResult {
  name: string;
  due: number;
  /**
   * Number of responses by status. `none`: no response within {@link PATIENCE_MS}, or a lost
   * connection.
   */
  statuses: Record<string, number>;
  /** Number of responses with status 503 but without Retry-After. */
  withoutRetryAfter: number;
  /** Number of responses with status 201 per second, between the first and the last due time. */
  acceptedPerSecond: number;
  accepted: { p50: number; p95: number; p99: number };
  refusedP99: number;
  /** Time that requests waited for a free connection. */
  waitedP99: number;
}

/** Number of connections that are opened at the same time. */
const OPENED_AT_A_TIME = 100;
/** A client waits this long for a response. */
const PATIENCE_MS = 15_000;

interface Connection {
  socket: Socket;
  text: string;
  finish: ((response: string | undefined) => void) | undefined;
}

/**
 * Sends requests at a fixed rate, like many independent clients. It does not wait for the responses
 * to earlier requests. The connections are open before the run, like those of connection pools and
 * load balancers. Node accepts only one new connection in each iteration of its event loop, which
 * is slow under load. If all connections are in use, requests wait for a free connection.
 */
export async function runOpenLoad({ origin, seconds, senders }: OpenLoadOptions): Promise<SenderResult[]> {
  const pools = await Promise.all(senders.map(({ connections }) => Connections.open(origin, connections)));
  const startedAt = performance.now();
  const results = await Promise.all(
    senders.map((sender, nth) => runSender(sender, { pool: pools[nth] as Connections, startedAt, seconds })),
  );
  for (const pool of pools) pool.close();
  return results;
}

async function runSender(
  { name, perSecond, request }: Sender,
  { pool, startedAt, seconds }: { pool: Connections; startedAt: number; seconds: number },
): Promise<SenderResult> {
  const accepted: number[] = [];
  const refused: number[] = [];
  const waited: number[] = [];
  const statuses: Record<string, number> = {};
  let withoutRetryAfter = 0;
  let acceptedInTime = 0;
  const total = Math.round(perSecond * seconds);
  const open: Promise<void>[] = [];
  const sendOne = async (dueAt: number) => {
    const connection = await pool.take();
    const sentAt = performance.now();
    waited.push(sentAt - dueAt);
    const response = await pool.send(connection, request());
    const ms = performance.now() - sentAt;
    const status = response?.slice(9, 12) ?? 'none';
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status === '201') accepted.push(ms);
    else if (status === '503') refused.push(ms);
    if (status === '201' && performance.now() - startedAt <= seconds * 1000) acceptedInTime += 1;
    if (status === '503' && !/\r\nretry-after: \d/i.test(response ?? '')) withoutRetryAfter += 1;
  };
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, Math.floor(((performance.now() - startedAt) * perSecond) / 1000));
    for (; sent < due; sent += 1) open.push(sendOne(startedAt + (sent * 1000) / perSecond));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(open);
  return {
    name,
    due: total,
    statuses,
    withoutRetryAfter,
    acceptedPerSecond: acceptedInTime / seconds,
    accepted: {
      p50: percentile(accepted, 0.5),
      p95: percentile(accepted, 0.95),
      p99: percentile(accepted, 0.99),
    },
    refusedP99: percentile(refused, 0.99),
    waitedP99: percentile(waited, 0.99),
  };
}

class Connections {
  private readonly idle: Connection[] = [];
  private readonly all = new Set<Connection>();
  private readonly waiting: ((connection: Connection) => void)[] = [];

  static async open(origin: string, count: number): Promise<Connections> {
    const connections = new Connections();
    while (connections.all.size < count)
      await Promise.all(Array.from({ length: OPENED_AT_A_TIME }, () => connections.openOne(origin)));
    return connections;
  }

  /** Returns an idle connection, or waits for one. */
  async take(): Promise<Connection> {
    return this.idle.pop() ?? (await new Promise((resolve) => this.waiting.push(resolve)));
  }

  send(connection: Connection, request: string): Promise<string | undefined> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => connection.socket.destroy(), PATIENCE_MS);
      connection.finish = (response) => {
        clearTimeout(timer);
        resolve(response);
      };
      connection.socket.write(request);
    });
  }

  close(): void {
    for (const { socket } of this.all) socket.destroy();
  }

  private openOne(origin: string): Promise<void> {
    const { hostname, port } = new URL(origin);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    const connection: Connection = { socket, text: '', finish: undefined };
    this.all.add(connection);
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => this.receive(connection, chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.all.delete(connection);
      const at = this.idle.indexOf(connection);
      if (at >= 0) this.idle.splice(at, 1);
      connection.finish?.(undefined);
    });
    // The response shows that the server has accepted the connection.
    return this.send(connection, 'GET /healthz HTTP/1.1\r\nHost: bench\r\n\r\n').then(() => undefined);
  }

  private receive(connection: Connection, chunk: string): void {
    connection.text += chunk;
    const end = connection.text.indexOf('\r\n\r\n');
    if (end < 0) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(connection.text.slice(0, end))?.[1] ?? 0);
    if (connection.text.length - end - 4 < length) return;
    const { text, finish } = connection;
    connection.text = '';
    connection.finish = undefined;
    if (/\r\nconnection: close/i.test(text.slice(0, end))) connection.socket.destroy();
    else {
      const next = this.waiting.shift();
      if (next) next(connection);
      else this.idle.push(connection);
    }
    finish?.(text);
  }
}
