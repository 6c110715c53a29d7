import Joi from 'joi';
import {
  allRequired,
  cursor,
  dateTime,
  limit,
  password,
  text,
  uuid,
} from '../../contracts/schemas/fields.js';
import { FACTOR_KINDS } from '../sessions/factor-kinds.js';
import { code, factorKind, passkeyResponse, recoveryCode } from '../sessions/proof-schema.js';

const name = () => text(100).min(1).example("Dana's phone");
export const factor = allRequired({
  id: uuid(),
  user_id: uuid(),
  kind: factorKind,
  name: name(),
  codes_left: Joi.number()
    .integer()
    .min(0)
    .allow(null)
    .description('Recovery codes that are left; null for other factors'),
  created_at: dateTime(),
  confirmed_at: dateTime().allow(null).description('The factor counts from then on'),
  last_used_at: dateTime().allow(null),
  removed_at: dateTime().allow(null),
}).meta({ className: 'Factor' });

export const factorCreate = Joi.object({
  kind: Joi.string()
    .valid(...FACTOR_KINDS)
    .required(),
  name: name().required(),
  password: password().description("The person's password. Required for the first factor"),
}).meta({ className: 'FactorCreate' });

const secret = (description: string) => Joi.string().allow(null).required().description(description);

export const factorWithSecret = factor
  .append({
    secret: secret('Secret of an authenticator app, in base32; null for a passkey, and in a dry run').example(
      'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
    ),
    otpauth_uri: secret('The same as a URI, for a QR code').example(
      'otpauth://totp/Tow%20Dispatch:dana@hudson-towing.example?secret=JBSWY3DPEHPK3PXP',
    ),
    passkey: Joi.object()
      .unknown()
      .allow(null)
      .required()
      .description('What the browser needs to create the passkey (PublicKeyCredentialCreationOptionsJSON)'),
  })
  .meta({ className: 'FactorWithSecret' });

export const factorConfirm = Joi.object({ code: code(), passkey: passkeyResponse() }).meta({
  className: 'FactorConfirm',
});

export const factorWithCodes = factor
  .append({
    recovery_codes: Joi.array()
      .items(recoveryCode())
      .allow(null)
      .required()
      .description('New recovery codes; null if there are none, and in a dry run'),
  })
  .meta({ className: 'FactorWithCodes' });

export const recoveryCodesCreate = Joi.object({}).meta({ className: 'RecoveryCodesCreate' });

export const factorRemove = Joi.object({}).meta({ className: 'FactorRevoke' });

export const factorListQuery = Joi.object({ limit: limit(200), cursor: cursor() }).meta({
  className: 'FactorListQuery',
});
