import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import { sessionEnd } from './schema.js';

const shared = {
  permission: 'write',
  isPersonOnly: true,
} as const;

/** The password stays in the api process; only the browser gets the token. */
export interface NewSession {
  user_id: string;
  /** SHA-256 of the token, in hex. */
  token_hash: string;
  /**
   * SHA-256, in hex, of the password hash that the api process has checked. If the password changes
   * before the command runs, the sign-in fails.
   */
  password_mark: string;
  /** Keyed hash of the person's network. Processes of the previous version omit the member. */
  address_mark?: string;
}

/**
 * A command creates the session, although it is no business record. So the sign-in is audited and
 * survives a crash.
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
  // Commands about the same person run in sequence.
  conflictKeys: ({ user_id }) => [`entity:${user_id}`],
});

export const endSession = defineCommand<Record<string, never>>({
  ...shared,
  type: 'session.end',
  action: 'session.ended',
  schema: sessionEnd,
});
