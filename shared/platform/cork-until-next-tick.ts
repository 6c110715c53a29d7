import type { Socket } from 'node:net';

/**
 * Buffers what is written to a socket until the end of the current callback and its microtasks.
 * Several writes then need one system call.
 */
export function corkUntilNextTick(socket: Socket): void {
  if (socket.writableCorked > 0) return;
  socket.cork();
  process.nextTick(() => socket.uncork());
}
