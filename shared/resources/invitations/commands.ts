import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import type { InvitationCreate } from '../../contracts/generated.js';
import { invitationCreate, invitationRevoke } from './schema.js';

/** An input to which the api process has added the hash of the link's token, in hex. */
export type WithTokenHash<T> = T & { token_hash: string };

const emailKey = (email: string) => `invitation_email:${email.toLowerCase()}`;

export const createInvitation = defineCommand<WithTokenHash<InvitationCreate>>({
  type: 'invitation.create',
  action: 'invitation.created',
  permission: 'admin',
  creates: true,
  schema: invitationCreate as Joi.ObjectSchema<WithTokenHash<InvitationCreate>>,
  conflictKeys: ({ email }) => [emailKey(email)],
});

export const revokeInvitation = defineCommand<Record<string, never>>({
  type: 'invitation.revoke',
  action: 'invitation.revoked',
  permission: 'admin',
  schema: invitationRevoke,
});

/** The data of a person who accepts an invitation. Only the api process sees the password. */
export interface AcceptedInvitation {
  /** The id of the new person. */
  user_id: string;
  name: string;
  password_hash: string;
}

/**
 * Adds the person to the account. The request has no credential: the route checks the link's token
 * instead.
 */
export const acceptInvitation = defineCommand<AcceptedInvitation>({
  type: 'invitation.accept',
  action: 'invitation.accepted',
  permission: 'admin',
  isPersonOnly: true,
  schema: Joi.object({
    user_id: Joi.string().required(),
    name: Joi.string().required(),
    password_hash: Joi.string().required(),
  }),
});
