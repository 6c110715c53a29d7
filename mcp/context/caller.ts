import type { ServerNotification } from '@modelcontextprotocol/sdk/types.js';
import type { Actor } from '../../shared/contracts/command.js';
import type { Principal } from '../../shared/contracts/principal.js';
import type { ErrorDetail } from '../../shared/platform/errors.js';

/** The sender and the context of one MCP message. */
export interface Caller {
  key: Principal;
  /** The id that the server gives to the MCP message, to its command and to its audit entry. */
  id: string;
  /** The client's X-Request-Id. Equals `id` if the client sent no X-Request-Id or an unsafe one. */
  requestId: string;
  /** The request headers that tools use. Each is undefined if the client did not send it. */
  headers: { idempotencyKey: string | undefined; dryRun: string | undefined };
  /** Headers for the HTTP response. They are not sent if an event stream has already started. */
  responseHeaders: Record<string, string>;
  /**
   * Sends a notification before the result. Undefined if the client accepts only one JSON response.
   * Does nothing if the client has disconnected or does not read.
   */
  notify?: ((notification: ServerNotification) => void) | undefined;
  /** Errors for tool arguments with characters that PostgreSQL cannot store. */
  argumentErrors?: ErrorDetail[] | undefined;
  /** Size of the MCP message in bytes. */
  bytes: number;
  /**
   * True if the client's protocol revision is older than 2025-06-18. Such a revision has no
   * structured results.
   */
  isTextOnly?: boolean;
  ip: string | null;
  userAgent: string | null;
}

export function getActor({ key }: Caller): Actor {
  return { type: key.kind === 'agent' ? 'agent' : 'api_key', id: key.id, name: key.name };
}
