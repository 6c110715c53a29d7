import type Joi from 'joi';
import type { Config } from '../platform/config.js';
import type { ErrorBody } from '../platform/errors.js';
import type { Transaction } from '../platform/postgres.js';
import type { ACTOR_TYPES, AgentScope, AUDIT_SOURCES, EventType, Permission } from './vocabulary.js';

export interface Actor {
  type: (typeof ACTOR_TYPES)[number];
  id: string | null;
  name: string | null;
}

/** What a retried request is recognised by (decisions 5, Idempotency). */
export interface IdempotencyClaim {
  /** Lower-case UUID from the header. */
  key: string;
  method: string;
  /** Path without the version prefix: the key holds across both prefixes. */
  path: string;
  /** SHA-256 of the canonical JSON body. */
  bodyHash: string;
}

/** The intent to write, as it travels in a job. It holds no secret in clear text. */
export interface Command<Input = unknown> {
  /** UUIDv7 made by the api process; also the id of the audit entry. */
  id: string;
  type: string;
  tenantId: string;
  environment: 'live' | 'sandbox';
  actor: Actor;
  source: (typeof AUDIT_SOURCES)[number];
  tool: string | null;
  /** The record that is made (its id is chosen here) or changed. */
  entityId: string;
  input: Input;
  dryRun: boolean;
  /** Members of the body that nobody knows; told by a dry run. */
  unknownFields: string[];
  idempotency: IdempotencyClaim | null;
  /** Versions of the record that the request may change; null or absent: any. */
  ifMatch?: string[] | null;
  /** Set on a held command that a human's decision runs again: the gate lets it pass, at the price that was shown and no other. */
  approved?: { amountCents: number };
  requestId: string;
  /** W3C traceparent of the request, when it is traced. */
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
 * An event to record. Its object is a record as it is when the command has run: the command's own, or the `entity` named here. `extra` members stand beside
 * it in `data`.
 */
export interface EventDraft {
  type: EventType;
  entity?: { type: string; id: string };
  extra?: Record<string, unknown>;
  /** An endpoint that gets no delivery of it, whatever it subscribed to: the one it is about, which may be failing at this very event. */
  exceptEndpoint?: string;
}

/**
 * What a handler made of one command. The answer's body is the record itself, rendered by PostgreSQL when the batch commits; `answerExtra` are
 * members that this answer alone carries beside it, such as a new key. `queuedMessages` are ids of messages that wait for their provider from the commit on.
 */
export type Outcome =
  | {
      ok: true;
      changes: Change[];
      events: EventDraft[];
      answerExtra?: Record<string, unknown>;
      /** Nothing was made: the approval under the command's own id waits for a human, and is the answer. */
      held?: true;
      /** The command that this one ran in its place, with an audit entry of its own. */
      ran?: { command: Command; changes: Change[] };
      queuedMessages?: string[];
      /** Endpoints with new deliveries that no event made, or with settings that their worker must hear of. */
      wokenEndpoints?: string[];
      /** Exports that wait for their worker from the commit on. */
      queuedExports?: string[];
    }
  | { ok: false; error: ErrorBody };

/**
 * Runs commands of one type, set by set: the outcomes stand in the order of the commands. No two commands of a call share a conflict key. A fault
 * of one command is its outcome; throwing means the database did something unexpected and the batch is split. The configuration tells what there is
 * outside, such as a mail server; a handler calls none of it.
 */
export type CommandHandler<Input> = (
  tx: Transaction,
  commands: Command<Input>[],
  config: Config,
) => Promise<Outcome[]>;

/** Everything about a command that the api needs; its handler is bound to it in the writes worker. */
export interface CommandDefinition<Input = unknown> {
  type: string;
  entityType: string;
  /** Audit action, `invoice.created`. */
  action: string;
  creates: boolean;
  /** What is made has its work before it: its answer is 202 with the record. */
  isAccepted?: boolean;
  schema: Joi.ObjectSchema<Input>;
  permission: Permission;
  /** A right that depends on what is asked for. */
  permissionFor?: (input: Input) => Permission;
  /** Scope that lets an agent key do this; null: no agent may. */
  agentScope: AgentScope | null;
  /** True: takes a signed-in person, no key may do this. */
  personOnly?: boolean;
  /** Commands of a batch that share a key run one after the other. The entity's id is always one. */
  conflictKeys?: (input: Input, actor: Actor) => string[];
}

export function defineCommand<Input>(definition: CommandDefinition<Input>): CommandDefinition<Input> {
  return Object.freeze(definition);
}

/** The answer to a command, as a worker replies it. */
export type CommandResult =
  | {
      id: string;
      ok: true;
      status: number;
      body: string;
      location: string | null;
      replayed: boolean;
      /**
       * The caller's own command made or changed the record in `body`; absent in the reply of a
       * worker of an earlier version.
       */
      isOwnChange?: boolean;
    }
  /** `unaudited`: no audit entry tells of it, for the command has not run to its end. */
  | { id: string; ok: false; error: ErrorBody; unaudited?: true };
