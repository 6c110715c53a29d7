import type Joi from 'joi';
import { type CommandDefinition, defineCommand } from '../../contracts/command.js';
import { factorConfirm, factorCreate, factorRemove, recoveryCodesCreate } from './schema.js';

/** A new factor. The password stays in the api process, which has checked it. */
export interface NewFactor {
  kind: 'totp' | 'passkey';
  name: string;
  /** The session that begins the factor, and that alone may confirm it. */
  session_id: string;
  secret_sealed?: string;
  challenge?: string;
  /** Shown by the response alone: the encrypted URI of the secret, or the options of a passkey. */
  uri_sealed?: string;
  passkey?: object;
}

/** New recovery codes: encrypted for the one response that shows them, and hashed. */
export interface NewCodes {
  sealed: string;
  hashes: string[];
}

/** The result of a check that the api process has done. */
export interface FactorConfirmation {
  session_id: string;
  last_step?: number;
  passkey?: { credential_id: string; public_key: string; counter: number; transports: string[] };
  /** Stored only if this is the person's first factor. */
  codes: NewCodes;
}

const shared = {
  // Everybody may have factors, also people who may only read.
  permission: 'read',
  isPersonOnly: true,
  // Commands on the factors of one person share this key, so they run one after another.
  conflictKeys: (_input, { id }) => [`entity:${id}`],
} satisfies Partial<CommandDefinition>;

export const createFactor = defineCommand<NewFactor>({
  ...shared,
  type: 'factor.create',
  action: 'factor.created',
  creates: true,
  schema: factorCreate as Joi.ObjectSchema<unknown> as Joi.ObjectSchema<NewFactor>,
});

export const confirmFactor = defineCommand<FactorConfirmation>({
  ...shared,
  type: 'factor.confirm',
  action: 'factor.confirmed',
  schema: factorConfirm as Joi.ObjectSchema<unknown> as Joi.ObjectSchema<FactorConfirmation>,
});

export const renewRecoveryCodes = defineCommand<{ codes: NewCodes }>({
  ...shared,
  type: 'factor.renew_codes',
  action: 'factor.codes_renewed',
  creates: true,
  schema: recoveryCodesCreate as Joi.ObjectSchema<unknown> as Joi.ObjectSchema<{ codes: NewCodes }>,
});

export const removeFactor = defineCommand<Record<string, never>>({
  ...shared,
  type: 'factor.remove',
  action: 'factor.removed',
  schema: factorRemove,
});
