import { randomBytes } from 'node:crypto';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { PRODUCT_NAME } from '../../shared/platform/product-name.js';
import type { FactorConfirmation } from '../../shared/resources/factors/commands.js';
import type { StoredFactor } from '../../shared/resources/factors/queries.js';
import { CHALLENGE_LIFETIME_MS } from './challenges.js';
import type { RelyingParty } from './relying-party.js';

/** The longest id of a credential has 1023 bytes (W3C WebAuthn), in base64url 1364 characters. */
const MAX_ID_CHARS = 1400;
/** A key of RSA-4096 has some 540 bytes. */
const MAX_KEY_BYTES = 4096;
/** The passkey transports that this service stores, and later sends to browsers. */
const TRANSPORTS = ['ble', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;

/** Loads the library at its first use. Loading takes 0.3 s of CPU time. */
const loadLibrary = () => import('@simplewebauthn/server');

/** Returns a challenge of 256 random bits. */
export const createPasskeyChallenge = (): string => randomBytes(32).toString('base64url');

const toDescriptors = (factors: StoredFactor[]) =>
  factors.flatMap(({ credential_id: id, transports }) =>
    id === null ? [] : [{ id, transports: transports ?? [] }],
  );

/** Returns the options with which a browser creates a passkey. They contain a new challenge. */
export async function buildCreationOptions(
  party: RelyingParty,
  { person, factors }: { person: { id: string; name: string; email: string }; factors: StoredFactor[] },
) {
  const { generateRegistrationOptions } = await loadLibrary();
  return generateRegistrationOptions({
    rpName: PRODUCT_NAME,
    rpID: party.id,
    userID: new Uint8Array(Buffer.from(person.id.replaceAll('-', ''), 'hex')),
    userName: person.email,
    userDisplayName: person.name,
    challenge: new Uint8Array(Buffer.from(createPasskeyChallenge(), 'base64url')),
    timeout: CHALLENGE_LIFETIME_MS,
    excludeCredentials: toDescriptors(factors),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
  });
}

/** Returns the options with which a browser uses one of these passkeys. */
export async function buildRequestOptions(
  party: RelyingParty,
  { challenge, factors }: { challenge: string; factors: StoredFactor[] },
) {
  const { generateAuthenticationOptions } = await loadLibrary();
  return generateAuthenticationOptions({
    rpID: party.id,
    allowCredentials: toDescriptors(factors),
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    timeout: CHALLENGE_LIFETIME_MS,
    userVerification: 'required',
  });
}

/** Checks a new passkey. Returns the data to store, or undefined if the response is wrong. */
export async function checkNewPasskey(
  party: RelyingParty,
  { response, challenge }: { response: object; challenge: string },
): Promise<FactorConfirmation['passkey']> {
  const { verifyRegistrationResponse } = await loadLibrary();
  const { registrationInfo } = await verifyRegistrationResponse({
    response: response as RegistrationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: party.origins,
    expectedRPID: party.id,
    requireUserVerification: true,
  }).catch(refuse);
  if (!registrationInfo) return undefined;
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
  if (id.length > MAX_ID_CHARS || publicKey.length > MAX_KEY_BYTES) return undefined;
  return {
    credential_id: id,
    public_key: Buffer.from(publicKey).toString('base64url'),
    counter,
    transports: TRANSPORTS.filter((transport) => transports.includes(transport)),
  };
}

/**
 * Checks the signature, challenge, origin, user verification and counter of a passkey's response.
 * Returns the new counter, or undefined if the response is wrong.
 */
export async function checkPasskey(
  party: RelyingParty,
  { response, challenge, factor }: { response: object; challenge: string; factor: StoredFactor },
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await loadLibrary();
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: response as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: party.origins,
    expectedRPID: party.id,
    requireUserVerification: true,
    credential: {
      id: factor.credential_id as string,
      publicKey: new Uint8Array(Buffer.from(factor.public_key as string, 'base64url')),
      counter: Number(factor.counter),
    },
  }).catch(refuse);
  return verified ? authenticationInfo?.newCounter : undefined;
}

/**
 * Turns an error of the library into a refusal. The library throws for malformed and for wrong
 * responses.
 */
function refuse(): { verified: false; registrationInfo?: never; authenticationInfo?: never } {
  return { verified: false };
}
