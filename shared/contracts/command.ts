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

/**
 * Identifies a request, so that its repetitions are recognized (docs/decisions.md §5, Idempotency).
 */
export interface IdempotencyRecord {
  /** Lower-case UUID from the header. */
  key: string;
  method: string;
  /**
   * Path without the version prefix, because the same route exists under both prefixes (`/v1` and
   * `/api/v1`).
   */
  path: string;
  /**
   * Hexadecimal SHA-256 of the body's canonical JSON. Before hashing, the api process may mask
   * secrets in the body or add the caller's id.
   */
  bodyHash: string;
}

/** A request to write, in the form that jobs contain. Contains no secret in clear text. */
export interface Command<Input = unknown> {
  /** UUIDv7 from the process that submits the command; also the id of the audit entry. */
  id: string;
  type: string;
  tenantId: string;
  environment: 'live' | 'sandbox';
  actor: Actor;
  source: (typeof AUDIT_SOURCES)[number];
  tool: string | null;
  /** Id of the record to change or create. */
  entityId: string;
  input: Input;
  dryRun: boolean;
  /** Body members that the schema does not define; a dry run returns them as warnings. */
  unknownFields: string[];
  idempotency: IdempotencyRecord | null;
  /**
   * The command runs only if the record has one of these versions. Null or absent means any
   * version.
   */
  ifMatch?: string[] | null;
  /**
   * Set when a command runs after a person approved it. The command may then exceed the approval
   * threshold, but only with the amount that the person saw.
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
 * An event to record. `data.object` shows the record `entity` after the command. Without `entity`,
 * it shows the command's own record. `data` also gets the members of `extra`.
 */
export interface EventDraft {
  type: EventType;
  entity?: { type: string; id: string };
  extra?: Record<string, unknown>;
  /**
   * The endpoint that the event is about. This endpoint gets no delivery of the event, because it
   * may be failing.
   */
  excludedEndpointId?: string;
  /**
   * The motor club whose offer the event is about. An endpoint of a club gets only events about
   * this club's offers.
   */
  clubId?: string;
}

/**
 * Asks for a wake-up job after the commit. The record `id`, for example an export, waits for a
 * worker of `queue`.
 */
export interface Prompt {
  queue: string;
  id: string;
}

/**
 * The result that a handler returns for one command. The response body is the command's record,
 * which PostgreSQL renders when the batch commits. `responseExtra` adds members that only this
 * response shows, such as a new key.
 */
export type CommandOutcome =
  | {
      ok: true;
      changes: Change[];
      events: EventDraft[];
      responseExtra?: Record<string, unknown>;
      /**
       * The write waits for a person's approval. The response shows the approval, whose id is the
       * command's id.
       */
      held?: true;
      /**
       * Further commands that this command ran, for example the write that a person approved. Each
       * gets its own audit entry.
       */
      ranCommands?: { command: Command; changes: Change[] }[];
      prompts?: Prompt[];
    }
  | { ok: false; error: ErrorBody };

/**
 * Runs commands of one type and returns their outcomes in the same order. No two of the commands
 * share a conflict key. An invalid command gets an error as its outcome. If the handler throws, the
 * worker splits the batch. The handler may read in `config` which external services exist, such as
 * a mail server, but never calls these services.
 */
export type CommandHandler<Input> = (
  tx: Transaction,
  commands: Command<Input>[],
  config: Config,
) => Promise<CommandOutcome[]>;

/** Handlers by command type. */
export type CommandHandlers = Readonly<Record<string, CommandHandler<never>>>;

/**
 * The facts that the API needs about the commands of one type. Their handler is separate, because
 * only the writes worker needs it.
 */
export interface CommandDefinition<Input = unknown> {
  type: string;
  entityType: string;
  /** Action in the audit entry, for example `invoice.created`. */
  action: string;
  creates: boolean;
  /** True if the record is processed later. The response is then 202 with the record. */
  isAccepted?: boolean;
  schema: Joi.ObjectSchema<Input>;
  permission: Permission;
  /** Replaces `permission` where the permission depends on the input. */
  permissionFor?: (input: Input) => Permission;
  /** The scope that an agent key needs. Null if agent keys may not submit the command. */
  agentScope: AgentScope | null;
  /**
   * True if only a signed-in person may submit the command. No key may submit it, whatever its
   * permissions.
   */
  isPersonOnly?: boolean;
  /**
   * Commands that share a conflict key run one after another. The id of the entity is a conflict
   * key too, unless `sharesEntity` is set.
   */
  conflictKeys?: (input: Input, actor: Actor) => string[];
  /**
   * True if several commands of this type for one record may run as a set, because they do not
   * change the record.
   */
  sharesEntity?: true;
  /** The tenants whose rows the command reads or writes besides those of its own tenant. */
  otherTenantIds?: (input: Input) => string[];
}

type Defaulted = 'creates' | 'agentScope';

/**
 * Defines a command. Its `entityType` is the part of `type` before the first dot. By default, the
 * command changes an existing record, and no agent key may submit the command.
 */
export function defineCommand<Input>(
  definition: Omit<CommandDefinition<Input>, 'entityType' | Defaulted> &
    Partial<Pick<CommandDefinition<Input>, Defaulted>>,
): CommandDefinition<Input> {
  const entityType = definition.type.split('.', 1)[0] as string;
  return Object.freeze({ entityType, creates: false, agentScope: null, ...definition });
}

export type CommandResult =
  | {
      id: string;
      ok: true;
      status: number;
      body: string;
      location: string | null;
      replayed: boolean;
      /**
       * True if this command wrote the record in `body`. Workers of an older release omit this
       * member.
       */
      isOwnChange?: boolean;
      /** For a replay: the command that stored the response, and its record. */
      first?: { id: string; entityId: string };
    }
  /** `unaudited`: the command did not complete, so it has no audit entry. */
  | { id: string; ok: false; error: ErrorBody; unaudited?: true };
