import { Secret, TOTP } from 'otpauth';
import { PRODUCT_NAME } from '../../shared/platform/product-name.js';

/** Every authenticator app supports these settings (RFC 6238). */
const SETTINGS = { issuer: PRODUCT_NAME, algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** 160 random bits, as RFC 4226 recommends. */
const SECRET_BYTES = 20;
/**
 * Also accepts the codes of this many time steps before and after, because clocks of phones differ.
 */
const WINDOW = 1;

/** Creates a secret in base32, with the URI that an authenticator app reads from a QR code. */
export function createTotp(email: string): { secret: string; uri: string } {
  const secret = new Secret({ size: SECRET_BYTES });
  return { secret: secret.base32, uri: new TOTP({ ...SETTINGS, label: email, secret }).toString() };
}

/**
 * Returns the time step to which the code belongs, or undefined if the code is wrong. Apps show
 * codes with a blank, so blanks are ignored.
 */
export function findTimeStep(secret: string, code: string): number | undefined {
  const totp = new TOTP({ ...SETTINGS, secret: Secret.fromBase32(secret) });
  const timestamp = Date.now();
  const delta = totp.validate({ token: code.replace(/\s/g, ''), window: WINDOW, timestamp });
  return delta === null ? undefined : totp.counter({ timestamp }) + delta;
}
