import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { Problem } from '../../api/problem';

/** True if the browser supports passkeys on this page. Passkeys need TLS or localhost. */
export const hasPasskeys = (): boolean => 'PublicKeyCredential' in window;

/**
 * Lets the browser use a passkey.
 * @throws {Problem} if the person cancels or the browser refuses
 */
export async function signWithPasskey(optionsJSON: PublicKeyCredentialRequestOptionsJSON) {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  return startAuthentication({ optionsJSON }).catch(refuse);
}

/**
 * Lets the browser create a passkey.
 * @throws {Problem} if the person cancels or the browser refuses
 */
export async function makePasskey(optionsJSON: PublicKeyCredentialCreationOptionsJSON) {
  const { startRegistration } = await import('@simplewebauthn/browser');
  return startRegistration({ optionsJSON }).catch(refuse);
}

function refuse(error: unknown): never {
  const isKnown = error instanceof Error && error.name === 'InvalidStateError';
  const message = isKnown
    ? 'This device has a passkey for your account already.'
    : 'The browser did not use a passkey. Try again, or choose another way.';
  throw new Problem(400, { code: 'passkey_refused', message });
}
