import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Closes the responses that a lost connection leaves open. Node 20 and 22 do not close pipelined
 * responses that have not been assigned the socket yet. Code that awaits their 'close' event would
 * hang.
 */
export class OpenResponses {
  private readonly bySocket = new WeakMap<Socket, Set<ServerResponse>>();

  /** True while the client of this connection waits for a response. */
  has(socket: Socket): boolean {
    return (this.bySocket.get(socket)?.size ?? 0) > 0;
  }

  add(response: ServerResponse, socket: Socket): void {
    const open = this.bySocket.get(socket) ?? this.watch(socket);
    open.add(response);
    response.once('close', () => open.delete(response));
  }

  /**
   * Closes connections without traffic for `timeoutMs`: idle connections, and connections whose
   * client does not read. A connection whose client waits for a response stays open.
   */
  closeStalled(server: Server, timeoutMs: number): void {
    server.setTimeout(timeoutMs, (socket: Socket) => {
      const isWaitingForResponse = this.has(socket) && socket.writableLength === 0;
      if (!isWaitingForResponse) socket.destroy();
    });
  }

  private watch(socket: Socket): Set<ServerResponse> {
    const open = new Set<ServerResponse>();
    this.bySocket.set(socket, open);
    socket.once('close', () => {
      // Wait one tick, because Node itself closes some of the responses.
      setImmediate(() => {
        for (const response of open) {
          response.destroy();
          response.emit('close');
        }
      });
    });
    return open;
  }
}
