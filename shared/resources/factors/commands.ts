import type Joi from 'joi';
import { type CommandDefinition, defineCommand } from '../../contracts/command.js';
import { factorConfirm, factorCreate, factorRemove, recoveryCodesCreate } from './schema.js';

/** A new factor. It does not contain the password, which the api process has already checked. */
export interface NewFactor {
  kind: 'totp' | 'passkey';
  name: string;
  /** The session that starts the set-up of the factor. Only this session may confirm the factor. */
  session_id: string;
  secret_sealed?: string;
  challenge?: string;
  /** The encrypted URI of the secret, or the options of a passkey. Only the response shows them. */
  uri_sealed?: string;
  passkey?: object;
}

/**
 * New recovery codes. `sealed` contains the encrypted codes for the one response that shows them.
 * `hashes` contains the hashes for the table.
 */
export interface NewCodes {
  sealed: string;
  hashes: string[];
}

/**
 * The confirmation of a new factor, after the api process has checked the person's code or passkey.
 */
export interface FactorConfirmation {
  session_id: string;
  last_step?: number;
  passkey?: { credential_id: string; public_key: string; counter: number; transports: string[] };
  /** Stored only if this is the person's first factor. */
  codes: NewCodes;
}

const shared = {
  // Every person may have factors, even a person who may only read.
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
