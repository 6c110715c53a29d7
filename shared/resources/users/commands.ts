import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import type { UserCreate, UserPatch } from '../../contracts/generated.js';
import { NO_TENANT } from '../../platform/ids.js';
import type { KeyMaterial } from '../api-keys/credential.js';
import { userCreate, userDeactivate, userPatch } from './schema.js';

/** An input in which the api process has replaced the password by a hash. */
export type WithPasswordHash<T> = Omit<T, 'password'> & { password?: never; password_hash?: string };

/**
 * Returns the conflict key of an email address. Addresses are unique in an account, so commands
 * with the same address must run in sequence.
 */
const emailKeys = ({ email }: { email?: string }) => (email ? [`user_email:${email.toLowerCase()}`] : []);

export const createUser = defineCommand<WithPasswordHash<UserCreate>>({
  type: 'user.create',
  action: 'user.created',
  permission: 'admin',
  creates: true,
  schema: userCreate as Joi.ObjectSchema<WithPasswordHash<UserCreate>>,
  conflictKeys: emailKeys,
});

export const updateUser = defineCommand<WithPasswordHash<UserPatch>>({
  type: 'user.update',
  action: 'user.updated',
  permission: 'admin',
  schema: userPatch as Joi.ObjectSchema<WithPasswordHash<UserPatch>>,
  conflictKeys: emailKeys,
});

export const deactivateUser = defineCommand<Record<string, never>>({
  type: 'user.deactivate',
  action: 'user.deactivated',
  permission: 'admin',
  schema: userDeactivate,
});

/** The input of a password reset. The api process has checked the token of the mailed link. */
export interface PasswordReset {
  reset_id: string;
  password_hash: string;
}

/** Sets a password by the link in a mail, and ends the person's sessions. */
export const resetPassword = defineCommand<PasswordReset>({
  type: 'user.reset_password',
  action: 'user.password_changed',
  permission: 'admin',
  isPersonOnly: true,
  schema: Joi.object({ reset_id: Joi.string().required(), password_hash: Joi.string().required() }),
});

/** The input of a sign-up whose address is verified. It contains no key and no password. */
export interface VerifiedSignUp {
  sign_up_id: string;
  sandbox_id: string;
  api_key: KeyMaterial;
  sandbox_key: KeyMaterial;
}

/**
 * Creates an account, its sandbox, its owner and their first keys. The command belongs to the
 * account that it creates.
 */
export const completeSignUp = defineCommand<VerifiedSignUp>({
  type: 'user.complete_sign_up',
  action: 'user.verified',
  permission: 'admin',
  creates: true,
  isPersonOnly: true,
  schema: Joi.object({
    sign_up_id: Joi.string().required(),
    sandbox_id: Joi.string().required(),
    api_key: Joi.object().required(),
    sandbox_key: Joi.object().required(),
  }),
  otherTenantIds: ({ sandbox_id }) => [sandbox_id, NO_TENANT],
});
