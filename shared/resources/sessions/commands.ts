import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import { sessionEnd } from './schema.js';

const shared = {
  entityType: 'session',
  permission: 'write',
  agentScope: null,
  personOnly: true,
} as const;

/** What the api has checked and made: the password stays there, and the token goes to the browser alone. */
export interface NewSession {
  user_id: string;
  /** SHA-256 of the token, hex. */
  token_hash: string;
  /** SHA-256 of the stored hash that the password was checked against, hex: a password changed meanwhile opens nothing. */
  password_mark: string;
  /**
   * The network that the person signs in from, marked. Absent from a process of the version before.
   */
  address_mark?: string;
}

/**
 * A session is no business record, yet it goes the way of all writes: once the person is known there is a tenant and an actor, and so the sign-in is
 * audited, survives a crash and is written by workers alone.
 */
export const createSession = defineCommand<NewSession>({
  ...shared,
  type: 'session.create',
  action: 'session.created',
  creates: true,
  schema: Joi.object({
    user_id: Joi.string().required(),
    token_hash: Joi.string().required(),
    password_mark: Joi.string().required(),
    address_mark: Joi.string(),
  }),
  // In its turn with changes of that person.
  conflictKeys: ({ user_id }) => [`entity:${user_id}`],
});

export const endSession = defineCommand<Record<string, never>>({
  ...shared,
  type: 'session.end',
  action: 'session.ended',
  creates: false,
  schema: sessionEnd,
});
