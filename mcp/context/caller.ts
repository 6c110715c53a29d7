import type { ServerNotification } from '@modelcontextprotocol/sdk/types.js';
import type { Actor } from '../../shared/contracts/command.js';
import type { Principal } from '../../shared/contracts/principal.js';
import type { ErrorDetail } from '../../shared/platform/errors.js';

/** The sender and the context of one MCP message. */
export interface Caller {
  key: Principal;
  /** The server's id of the MCP message; its command and audit entry use it. */
  id: string;
  /** The client's X-Request-Id, or `id` if the client sent none. */
  requestId: string;
  /** Values of the HTTP request headers; undefined if absent. */
  headers: { idempotencyKey: string | undefined; dryRun: string | undefined };
  /** Headers of the HTTP response. They are lost if an event stream has already started. */
  responseHeaders: Record<string, string>;
  /**
   * Sends a notification before the result; undefined if the client accepts only one JSON response.
   * A client that does not read or has disconnected gets none.
   */
  notify?: ((notification: ServerNotification) => void) | undefined;
  /** Validation errors of tool arguments whose text cannot be stored. */
  argumentErrors?: ErrorDetail[] | undefined;
  /** Size of the MCP message in bytes. */
  bytes: number;
  /** The client uses a revision before 2025-06-18, which has no structured results. */
  isTextOnly?: boolean;
  ip: string | null;
  userAgent: string | null;
}

export function getActor({ key }: Caller): Actor {
  return { type: key.kind === 'agent' ? 'agent' : 'api_key', id: key.id, name: key.name };
}
