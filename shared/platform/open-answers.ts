import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Ends what a connection leaves behind. Node 20 and 22 forget the answers to pipelined requests
 * that never had the socket: without this they would neither close nor be destroyed, and whatever
 * waits for their end would be held for ever.
 */
export class OpenAnswers {
  private readonly bySocket = new WeakMap<Socket, Set<ServerResponse>>();

  /** Watches an answer from its beginning. */
  add(response: ServerResponse, socket: Socket): void {
    const open = this.bySocket.get(socket) ?? this.watch(socket);
    open.add(response);
    response.once('close', () => open.delete(response));
  }

  /**
   * Closes connections that nothing has moved on for so long: idle ones, and those of clients that
   * do not read. One that waits for our answer is left alone.
   */
  closeStalled(server: Server, timeoutMs: number): void {
    server.setTimeout(timeoutMs, (socket: Socket) => {
      const isWaitingForUs = (this.bySocket.get(socket)?.size ?? 0) > 0 && socket.writableLength === 0;
      if (!isWaitingForUs) socket.destroy();
    });
  }

  private watch(socket: Socket): Set<ServerResponse> {
    const open = new Set<ServerResponse>();
    this.bySocket.set(socket, open);
    socket.once('close', () => {
      // Node tells those that it remembers first.
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
