import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { OpenResponses } from './open-responses.js';

/**
 * After the shutdown begins, the server still accepts connections for this time, because requests
 * may be on their way.
 */
const DRAIN_GRACE_MS = 200;
/**
 * After the server stops listening, a request that has not arrived completely has this much time
 * left.
 */
const ARRIVAL_GRACE_MS = 500;
const CHECK_INTERVAL_MS = 50;

/**
 * Stops a server: finishes the accepted requests, then closes the connections.
 * @param sockets the open connections of the server
 */
export async function closeServer(
  server: Server,
  sockets: ReadonlySet<Socket>,
  openResponses: OpenResponses,
): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, DRAIN_GRACE_MS));
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const stoppedAt = performance.now();
  // Idle connections would keep the server open. A busy connection becomes idle after its response.
  const timer = setInterval(() => {
    server.closeIdleConnections();
    if (performance.now() - stoppedAt >= ARRIVAL_GRACE_MS) destroyUnused(sockets, openResponses);
  }, CHECK_INTERVAL_MS);
  await closed.finally(() => clearInterval(timer));
}

/**
 * Destroys the connections on which no request has arrived completely. Node does not count a
 * connection without any request as idle, and a closing server no longer checks its timeouts.
 * Clients and load balancers that connect in advance would keep the server open.
 */
function destroyUnused(sockets: ReadonlySet<Socket>, openResponses: OpenResponses): void {
  for (const socket of sockets) if (!openResponses.has(socket)) socket.destroy();
}
