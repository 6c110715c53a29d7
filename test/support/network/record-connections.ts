import { Socket } from 'node:net';

/** Where a socket was asked to connect, as `host:port`, or the path of a Unix socket. */
type Target = string;

/**
 * Records each connection that this process asks for, also one that fails. All clients of this
 * process connect through {@link Socket.connect}.
 * @returns the list, which grows, and a function that ends the recording
 */
export function recordConnections(): { targets: Target[]; stop: () => void } {
  const targets: Target[] = [];
  const original = Socket.prototype.connect;
  Socket.prototype.connect = function connect(this: Socket, ...args: unknown[]): Socket {
    targets.push(toTarget(args));
    return Reflect.apply(original, this, args);
  } as typeof original;
  return {
    targets,
    stop() {
      Socket.prototype.connect = original;
    },
  };
}

/** Node's own callers pass the normalized arguments in one array. */
function toTarget(args: readonly unknown[]): Target {
  const [first, second] = Array.isArray(args[0]) ? (args[0] as unknown[]) : args;
  if (typeof first !== 'object' || first === null) return `${String(second ?? 'localhost')}:${String(first)}`;
  const { path, host = 'localhost', port } = first as { path?: string; host?: string; port?: number };
  return path && port === undefined ? path : `${host}:${port}`;
}
