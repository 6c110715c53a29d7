import type { ServerNotification } from '@modelcontextprotocol/sdk/types.js';
import type { Actor } from '../../shared/contracts/command.js';
import type { Principal } from '../../shared/contracts/principal.js';
import type { ErrorDetail } from '../../shared/platform/errors.js';

/** The sender and the context of one MCP message. */
export interface Caller {
  key: Principal;
  /** The server's id of the MCP message, of its command and of its audit entry. */
  id: string;
  /** The client's X-Request-Id, or `id` if the client sent none. */
  requestId: string;
  /** A header is undefined if it is absent. */
  headers: { idempotencyKey: string | undefined; dryRun: string | undefined };
  /** These headers are lost if an event stream has already started. */
  responseHeaders: Record<string, string>;
  /**
   * Sends a notification before the result. Undefined if the client accepts only one JSON response.
   * A client that does not read or has disconnected gets none.
   */
  notify?: ((notification: ServerNotification) => void) | undefined;
  /** Errors for tool arguments whose text cannot be stored. */
  argumentErrors?: ErrorDetail[] | undefined;
  /** Size of the MCP message. */
  bytes: number;
  /** The client's revision is older than 2025-06-18 and has no structured results. */
  isTextOnly?: boolean;
  ip: string | null;
  userAgent: string | null;
}

export function getActor({ key }: Caller): Actor {
  return { type: key.kind === 'agent' ? 'agent' : 'api_key', id: key.id, name: key.name };
}
