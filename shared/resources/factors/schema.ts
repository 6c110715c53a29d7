import Joi from 'joi';
import { namedEnum } from '../../contracts/named-enum.js';
import {
  allRequired,
  cursor,
  dateTime,
  limit,
  password,
  text,
  uuid,
} from '../../contracts/schemas/fields.js';
import { FACTOR_KINDS, PROOF_KINDS } from './kinds.js';

export const factorKind = namedEnum('FactorKind', PROOF_KINDS, {
  totp: 'An authenticator app that shows codes of six digits',
  passkey: 'A passkey of a device or a security key',
  recovery_codes: 'Ten codes for a lost device, each usable once. Made with the first factor',
});

const name = () => text(100).min(1).example("Dana's phone");
const code = () =>
  Joi.string()
    .replace(/\s/g, '')
    .pattern(/^\d{6}$/, 'be the six digits that the authenticator app shows')
    .example('492039')
    .description('Code of an authenticator app. Each code works once');
const recoveryCode = () =>
  text(40).example('7f3k-92mx-q4tz-8wdn').description('One of the recovery codes. Each works once');
const passkeyResponse = () =>
  Joi.object().unknown().description("The browser's PublicKeyCredential, as its toJSON() returns it");
const challenge = () => Joi.string().max(2000).description('The challenge that this answers');

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

const proof = { code: code(), recovery_code: recoveryCode(), passkey: passkeyResponse() };

export const factorProof = Joi.object({
  challenge: challenge().description('Required with passkey; POST /session/challenge makes one'),
  ...proof,
}).meta({ className: 'FactorProof' });

export const factorSignIn = Joi.object({
  challenge: challenge().required().description('From the details of the error factor_required'),
  ...proof,
}).meta({ className: 'FactorSignIn' });

export const factorChallenge = allRequired({
  challenge: challenge(),
  kinds: Joi.array().items(factorKind).description('The factors that can answer'),
  passkey: Joi.object()
    .unknown()
    .allow(null)
    .description('What the browser needs to use a passkey (PublicKeyCredentialRequestOptionsJSON)'),
  expires_at: dateTime(),
}).meta({ className: 'FactorChallenge' });
