import type {
  JSONRPCNotification,
  JSONRPCRequest,
  ServerNotification,
  ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';

/**
 * Sends MCP messages to a client before the result of its request. They go out on the HTTP
 * response, which becomes an event stream with the first MCP message.
 */
export interface ClientChannel {
  /**
   * Returns false if the client has disconnected or does not read. The MCP message is then dropped.
   */
  send: (message: JSONRPCNotification | JSONRPCRequest) => boolean;
  /** Calls `act` when the HTTP response closes, whether or not it was sent completely. */
  onClose: (act: () => void) => void;
}

/** Lets the handler of a call notify or query its client before it returns the result. */
export interface CallNotifier {
  /** Best effort: dropped if the client accepts no event stream or does not read. */
  notify: (notification: ServerNotification) => void;
  /**
   * Resolves with the client's result. Rejects if the client refuses, disconnects or accepts no
   * event stream. Always rejects in revision 2026-07-28, which has no server requests.
   */
  sendRequest: (request: ServerRequest) => Promise<Record<string, unknown>>;
}
