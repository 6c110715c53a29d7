import type Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import type { UserCreate, UserPatch } from '../../contracts/generated.js';
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
