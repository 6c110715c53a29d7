import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import { sessionEnd } from './schema.js';

const shared = {
  entityType: 'session',
  permission: 'write',
  agentScope: null,
  isPersonOnly: true,
} as const;

/**
 * The api process has checked or created these values. The password stays in the api process; only
 * the browser gets the token.
 */
export interface NewSession {
  user_id: string;
  /** SHA-256 of the token, hex. */
  token_hash: string;
  /**
   * SHA-256, in hex, of the stored hash that the api process checked the password against. If the
   * password has changed since, the sign-in fails.
   */
  password_mark: string;
  /**
   * Keyed hash of the network that the person signs in from. Absent from processes of the previous
   * version.
   */
  address_mark?: string;
}

/**
 * A session is no business record, but a command creates it like any other write. So the sign-in is
 * audited, survives a crash, and only workers write it.
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
  // Changes of the same person run in sequence.
  conflictKeys: ({ user_id }) => [`entity:${user_id}`],
});

export const endSession = defineCommand<Record<string, never>>({
  ...shared,
  type: 'session.end',
  action: 'session.ended',
  creates: false,
  schema: sessionEnd,
});
