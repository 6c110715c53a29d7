import type { Actor } from '../shared/contracts/command.js';
import type { Principal } from '../shared/contracts/principal.js';
import type { ErrorDetail } from '../shared/platform/errors.js';
import type { Line } from './line.js';

/** Who calls, and from where: one message of one agent. */
export interface Caller {
  key: Principal;
  /** Our own id of the message; a command and its audit entry take it. */
  id: string;
  /** The client's X-Request-Id, else our id. */
  requestId: string;
  /** As the HTTP request has them; undefined: absent. */
  headers: { idempotencyKey: string | undefined; dryRun: string | undefined };
  /** Sent with the answer, unless a stream has begun. */
  answerHeaders: Record<string, string>;
  /** Says something to the client before the answer; undefined: it takes one JSON answer and nothing else. */
  line?: Line | undefined;
  /** Arguments of its tool call that hold text which cannot be stored. */
  argumentFaults?: ErrorDetail[] | undefined;
  /** Size of the message in bytes. */
  bytes: number;
  /** The client speaks a protocol older than structured results (2025-06-18). */
  textOnly?: boolean;
  ip: string | null;
  userAgent: string | null;
}

export function actorOf({ key }: Caller): Actor {
  return { type: key.kind === 'agent' ? 'agent' : 'api_key', id: key.id, name: key.name };
}
