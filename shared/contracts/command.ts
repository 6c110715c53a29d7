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
  /** SHA-256 of the canonical JSON. */
  bodyHash: string;
}

/** The intent to write, as a job carries it. It holds no secret in clear text. */
export interface Command<Input = unknown> {
  /** UUIDv7 from the API process; also the id of the audit entry. */
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
  /** Versions of the record that the request may change; null or absent: any version. */
  ifMatch?: string[] | null;
  /**
   * Set after a person approved a held command. The command then passes the approval threshold, but
   * only at the amount that the person saw.
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
 * An event to record. `data.object` is the command's own record, or `entity`, as it is after the
 * command. `data` also gets the members of `extra`.
 */
export interface EventDraft {
  type: EventType;
  entity?: { type: string; id: string };
  extra?: Record<string, unknown>;
  /** Gets no delivery of the event. The event is about this endpoint, which may be failing. */
  excludedEndpointId?: string;
}

/** A record that waits for the worker of a queue, for example an export. */
export interface Prompt {
  queue: string;
  id: string;
}

/**
 * What a handler returns for one command. PostgreSQL renders the record, which is the
 * response body, when the batch commits. `responseExtra` adds members to this
 * response alone, such as a new key.
 */
export type CommandOutcome =
  | {
      ok: true;
      changes: Change[];
      events: EventDraft[];
      responseExtra?: Record<string, unknown>;
      /** The write waits for a person. The approval with the command's id is the response. */
      held?: true;
      /** A second command that this command ran. It gets its own audit entry. */
      ranCommand?: { command: Command; changes: Change[] };
      prompts?: Prompt[];
    }
  | { ok: false; error: ErrorBody };

/**
 * Runs commands of one type and returns their outcomes in the same sequence. No two commands of a
 * call share a conflict key. If one command is invalid, its outcome is an error. If the handler
 * throws, the worker splits the batch. The handler reads in `config` which external services exist,
 * such as a mail server, but never calls them.
 */
export type CommandHandler<Input> = (
  tx: Transaction,
  commands: Command<Input>[],
  config: Config,
) => Promise<CommandOutcome[]>;

/** By command type. */
export type CommandHandlers = Readonly<Record<string, CommandHandler<never>>>;

/** What the API knows of a command. The writes worker adds the handler. */
export interface CommandDefinition<Input = unknown> {
  type: string;
  entityType: string;
  /** For example `invoice.created`. */
  action: string;
  creates: boolean;
  /** The record is processed later, so the response is 202 with the record. */
  isAccepted?: boolean;
  schema: Joi.ObjectSchema<Input>;
  permission: Permission;
  /** Replaces `permission` where the permission depends on the input. */
  permissionFor?: (input: Input) => Permission;
  /** Null: no agent key may do this. */
  agentScope: AgentScope | null;
  /** Only a signed-in person may do this, no key may. */
  isPersonOnly?: boolean;
  /** Commands with a common conflict key run one after another. The entity's id is always a key. */
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

export type CommandResult =
  | {
      id: string;
      ok: true;
      status: number;
      body: string;
      location: string | null;
      replayed: boolean;
      /** True if this command wrote the record in `body`. Workers of an older version omit it. */
      isOwnChange?: boolean;
    }
  /** `unaudited`: the command did not complete, so it has no audit entry. */
  | { id: string; ok: false; error: ErrorBody; unaudited?: true };
