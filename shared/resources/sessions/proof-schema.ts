import Joi from 'joi';
import { namedEnum } from '../../contracts/named-enum.js';
import { allRequired, dateTime, text } from '../../contracts/schemas/fields.js';
import { PROOF_KINDS } from './factor-kinds.js';

export const factorKind = namedEnum('FactorKind', PROOF_KINDS, {
  totp: 'An authenticator app that shows codes of six digits',
  passkey: 'A passkey of a device or a security key',
  recovery_codes: 'Ten codes for a lost device, each usable once. Made with the first factor',
});

export const code = () =>
  text(20).example('492039').description('Code of an authenticator app. Each code works once');
export const recoveryCode = () =>
  text(40).example('7f3k-92mx-q4tz-8wdn').description('One of the recovery codes. Each works once');
export const passkeyResponse = () =>
  Joi.object().unknown().description("The browser's PublicKeyCredential, as its toJSON() returns it");
const challenge = () => Joi.string().max(2000).description('The challenge that this answers');

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
