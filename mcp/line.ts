import type {
  JSONRPCNotification,
  JSONRPCRequest,
  ServerNotification,
  ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';

/** The way to a client until its request is answered: its HTTP response, which becomes a stream with the first message. */
export interface Line {
  /** False: the message was not taken. The client has gone or does not read, and nothing is kept for it. */
  say: (message: JSONRPCNotification | JSONRPCRequest) => boolean;
  /** Calls once the response is over, answered or not. */
  whenOver: (act: () => void) => void;
}

/** What whoever handles a call can say to its client before the answer. */
export interface Aside {
  /** Without promise: it is dropped for a client that takes no stream or does not read. */
  tell: (notification: ServerNotification) => void;
  /** Resolves with the client's result. Rejects when it refuses, goes away or takes no stream, and in 2026-07-28, which has no such requests. */
  ask: (request: ServerRequest) => Promise<Record<string, unknown>>;
}
