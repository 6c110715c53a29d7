import { connect, type Socket } from 'node:net';

export interface LoadOptions {
  origin: string;
  clients: number;
  seconds: number;
  /** Returns a complete HTTP request as raw text. */
  request: () => string;
  /** The expected status. Any other status fails the run. */
  expect: number;
}

export interface LoadResult {
  perSecond: number;
  p50: number;
  p95: number;
  p99: number;
  count: number;
}

/**
 * Keeps `clients` connections busy. Each connection sends its next request as soon as the previous
 * response is complete. Latencies are in ms. Uses raw sockets, because they need little CPU time.
 * On two cores, an HTTP client library would limit the rate before the server does.
 */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const latencies: number[] = [];
  const until = performance.now() + options.seconds * 1000;
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: options.clients }, () => runClient(options, { until, latencies })));
  const elapsed = (performance.now() - startedAt) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
  return {
    perSecond: latencies.length / elapsed,
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    count: latencies.length,
  };
}

function runClient(
  options: LoadOptions,
  { until, latencies }: { until: number; latencies: number[] },
): Promise<void> {
  const { hostname, port } = new URL(options.origin);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let sentAt = 0;
    let pending = '';
    const send = () => {
      sentAt = performance.now();
      socket.write(options.request());
    };
    socket.setEncoding('latin1');
    socket.once('connect', send);
    socket.on('error', reject);
    socket.on('data', (chunk: string) => {
      pending += chunk;
      const status = parseStatus(pending);
      if (status === undefined) return;
      if (status !== options.expect) return fail(socket, reject, pending);
      pending = '';
      latencies.push(performance.now() - sentAt);
      if (performance.now() < until) return send();
      socket.end();
      resolve();
    });
  });
}

function fail(socket: Socket, reject: (error: Error) => void, response: string): void {
  socket.destroy();
  reject(new Error(`unexpected response: ${response.slice(0, 1000)}`));
}

/**
 * Returns the status, or undefined until the response is complete. Responses must have a
 * Content-Length.
 */
function parseStatus(text: string): number | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const length = /content-length: (\d+)/i.exec(text.slice(0, end))?.[1];
  if (length === undefined) throw new Error('the load loop needs Content-Length');
  return text.length - end - 4 >= Number(length) ? Number(text.slice(9, 12)) : undefined;
}
