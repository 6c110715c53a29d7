import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import type { ProofKind } from './factor-kinds.js';
import { factorProof, sessionEnd } from './schema.js';

const shared = {
  // Every person may sign out, even a person who may only read.
  permission: 'read',
  isPersonOnly: true,
} as const;

/**
 * A proof that the api process has checked. It contains no secret. The handler makes sure that no
 * other request has used the same proof.
 */
export interface CheckedProof {
  kind: ProofKind;
  factor_id: string;
  /** The time step of a code from an authenticator app. */
  step?: number;
  /** The signature counter of a passkey. */
  counter?: number;
  /** Keyed hash of a recovery code. */
  hash?: string;
}

/**
 * The input of a sign-in. It contains no password, because only the api process sees the password.
 * It contains no token, because only the browser gets the token.
 */
export interface NewSession {
  user_id: string;
  /** SHA-256 of the token, in hex. */
  token_hash: string;
  /**
   * SHA-256, in hex, of the stored password hash that the api process has checked. If the person's
   * password changes before the command runs, the sign-in fails.
   */
  password_mark: string;
  /**
   * The keyed hash of the network from which the person signs in. Processes of the previous release
   * omit this member.
   */
  address_mark?: string;
  /** The User-Agent and the site of the sign-in. They help the person to recognize the session. */
  user_agent?: string | null;
  network?: string;
  /** Required if the person has a factor. */
  proof?: CheckedProof;
}

/** A proof of a factor within a session. */
export interface SessionProof {
  proof: CheckedProof;
  /** The time at which the api process created the challenge that a passkey has signed. */
  issued_at?: string;
}

/**
 * Creates a session. A command creates it, although a session is not a business record. The sign-in
 * is then audited, and is not lost if a process dies.
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
    user_agent: Joi.string().allow(null),
    network: Joi.string(),
    proof: Joi.object(),
  }),
  // Without this conflict key, the command could run concurrently with another command on the same
  // person.
  conflictKeys: ({ user_id }) => [`entity:${user_id}`],
});

export const endSession = defineCommand<Record<string, never>>({
  ...shared,
  type: 'session.end',
  action: 'session.ended',
  schema: sessionEnd,
});

/** Ends all sessions of the person except the session that the command names. */
export const endOtherSessions = defineCommand<Record<string, never>>({
  ...shared,
  type: 'session.end_others',
  action: 'session.others_ended',
  schema: sessionEnd,
});

export const confirmSession = defineCommand<SessionProof>({
  ...shared,
  type: 'session.confirm',
  action: 'session.confirmed',
  schema: factorProof as Joi.ObjectSchema<unknown> as Joi.ObjectSchema<SessionProof>,
  conflictKeys: (_input, { id }) => [`entity:${id}`],
});
