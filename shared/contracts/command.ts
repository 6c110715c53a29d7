import type Joi from 'joi';
import type { Config } from '../config/config.js';
import type { ErrorBody } from '../platform/errors.js';
import type { Transaction } from '../platform/postgres/database.js';
import type { ACTOR_TYPES, AgentScope, AUDIT_SOURCES, EventType, Permission } from './vocabulary.js';

export interface Actor {
  type: (typeof ACTOR_TYPES)[number];
  id: string | null;
  name: string | null;
}

/** Identifies a repeated request (docs/decisions.md §5, Idempotency). */
export interface IdempotencyRecord {
  /** Lower-case UUID from the header. */
  key: string;
  method: string;
  /** Path without the version prefix, because a key is valid across both prefixes. */
  path: string;
  /** SHA-256 of the canonical JSON body. */
  bodyHash: string;
}

/** The intent to write, as a job carries it. It holds no secret in clear text. */
export interface Command<Input = unknown> {
  /** UUIDv7 created by the API process; also the id of the audit entry. */
  id: string;
  type: string;
  tenantId: string;
  environment: 'live' | 'sandbox';
  actor: Actor;
  source: (typeof AUDIT_SOURCES)[number];
  tool: string | null;
  /** Id of the record to create (chosen before the write) or to change. */
  entityId: string;
  input: Input;
  dryRun: boolean;
  /** Body members that the schema does not define; a dry run returns them as warnings. */
  unknownFields: string[];
  idempotency: IdempotencyRecord | null;
  /** Record versions that the request may change; null or absent: any version. */
  ifMatch?: string[] | null;
  /**
   * Set when a person has approved a held command. The command then passes the approval threshold,
   * but only at the amount that the person saw.
   */
  approved?: { amountCents: number };
  requestId: string;
  /** W3C traceparent of the request, if the request is traced. */
  traceparent: string | null;
  ip: string | null;
  userAgent: string | null;
}

export interface Change {
  field: string;
  from: unknown;
  to: unknown;
}

/**
 * An event to record. `data.object` is a record as it is after the command: the command's own
 * record, or `entity` if given. The members of `extra` are added to `data` beside it.
 */
export interface EventDraft {
  type: EventType;
  entity?: { type: string; id: string };
  extra?: Record<string, unknown>;
  /**
   * Id of the endpoint that the event is about. This endpoint gets no delivery of the event,
   * whatever it subscribed to, because it may be failing.
   */
  excludedEndpointId?: string;
}

/**
 * A record that waits for the worker of a queue: a message, an export, or an endpoint with new
 * deliveries or changed settings.
 */
export interface Prompt {
  queue: string;
  id: string;
}

/**
 * The result of a handler for one command. The response body is the record, which PostgreSQL
 * renders when the batch commits. `responseExtra` holds members that only this response adds to the
 * record, such as a new key.
 */
export type CommandOutcome =
  | {
      ok: true;
      changes: Change[];
      events: EventDraft[];
      responseExtra?: Record<string, unknown>;
      /**
       * The write did not run. An approval with the command's id waits for a person, and the
       * response is that approval.
       */
      held?: true;
      /** A second command that this command ran. It gets its own audit entry. */
      ranCommand?: { command: Command; changes: Change[] };
      /** Records that wait for the worker of a queue after the commit. */
      prompts?: Prompt[];
    }
  | { ok: false; error: ErrorBody };

/**
 * Runs a set of commands of one type and returns the outcomes in the same sequence. No two commands
 * of a call share a conflict key. A problem with one command is its outcome. If the handler throws,
 * the database failed unexpectedly and the worker splits the batch. The configuration shows which
 * external services exist, such as a mail server. A handler never calls them.
 */
export type CommandHandler<Input> = (
  tx: Transaction,
  commands: Command<Input>[],
  config: Config,
) => Promise<CommandOutcome[]>;

/** The handlers of a resource by command type. */
export type CommandHandlers = Readonly<Record<string, CommandHandler<never>>>;

/** The parts of a command that the API needs. The writes worker adds the handler. */
export interface CommandDefinition<Input = unknown> {
  type: string;
  entityType: string;
  /** Audit action, `invoice.created`. */
  action: string;
  creates: boolean;
  /** The record is created now and processed later, so the response is 202 with the record. */
  isAccepted?: boolean;
  schema: Joi.ObjectSchema<Input>;
  permission: Permission;
  /** Returns a permission that depends on the input; replaces `permission`. */
  permissionFor?: (input: Input) => Permission;
  /** Scope that an agent key needs; null: no agent key may do this. */
  agentScope: AgentScope | null;
  /** True: only a signed-in person may do this, no key may. */
  isPersonOnly?: boolean;
  /**
   * Commands of a batch that share a conflict key run one after another. The entity's id is always
   * a conflict key.
   */
  conflictKeys?: (input: Input, actor: Actor) => string[];
}

type Defaulted = 'creates' | 'agentScope';

/**
 * Defines a command. Its entity type is the first part of its type. By default it changes an
 * existing record, and no agent key may submit it.
 */
export function defineCommand<Input>(
  definition: Omit<CommandDefinition<Input>, 'entityType' | Defaulted> &
    Partial<Pick<CommandDefinition<Input>, Defaulted>>,
): CommandDefinition<Input> {
  const entityType = definition.type.split('.', 1)[0] as string;
  return Object.freeze({ entityType, creates: false, agentScope: null, ...definition });
}

/** The worker's reply to a command. */
export type CommandResult =
  | {
      id: string;
      ok: true;
      status: number;
      body: string;
      location: string | null;
      replayed: boolean;
      /**
       * True if the caller's own command created or changed the record in `body`. Absent in the
       * reply of a worker of an earlier version.
       */
      isOwnChange?: boolean;
    }
  /** `unaudited`: the command did not complete, so it has no audit entry. */
  | { id: string; ok: false; error: ErrorBody; unaudited?: true };
