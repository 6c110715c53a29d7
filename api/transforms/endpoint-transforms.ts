import type { Command } from '../../shared/contracts/command.js';
import { hmacSha256 } from '../../shared/platform/crypto.js';
import { sealHeaders } from '../../shared/resources/webhook-endpoints/headers.js';
import {
  generateSealedKeyPair,
  generateSealedSecret,
  type SealedKeyPair,
  type SealedSecret,
} from '../../shared/resources/webhook-endpoints/secret.js';
import type { ApiRuntime } from '../runtime/runtime.js';
import { assertDeliverableUrl } from './assert-deliverable-url.js';
import { decryptSecretInResponse } from './decrypt-secret.js';

/** The members of a client's body that the functions below read. */
interface EndpointBody {
  url?: string;
  headers?: Record<string, string> | null;
  asymmetric?: boolean;
}

/**
 * Creates the functions that prepare the input of endpoint commands. These functions check the URL,
 * encrypt custom headers and create encrypted secrets. `reveal` decrypts the new secret in the
 * response.
 */
export function createEndpointTransforms(api: ApiRuntime) {
  const createSecret = (): SealedSecret => ({ sealed: generateSealedSecret(api.webhookKeys.secrets).sealed });
  const createKeyPair = (): SealedKeyPair => {
    const { sealed, publicKey } = generateSealedKeyPair(api.webhookKeys.secrets);
    return { sealed, publicKey };
  };
  /** Converts the client's body to the command's input, whose type is `T`. */
  const changed = <T extends object>(input: T): T => {
    const { headers, ...rest } = input as EndpointBody;
    if (rest.url !== undefined) assertDeliverableUrl(api, rest.url);
    return {
      ...rest,
      ...(headers === undefined ? {} : sealHeaders(api.webhookKeys.headers, headers)),
      ...(rest.asymmetric ? { pair: createKeyPair() } : {}),
    } as T;
  };
  return {
    changed,
    created: <T extends object>(input: T): T => ({ ...changed(input), material: createSecret() }),
    /**
     * Always creates a key pair, because only the handler knows whether the endpoint signs with
     * ed25519.
     */
    rotated: <T extends object>(input: T): T => ({
      ...input,
      material: createSecret(),
      pair: createKeyPair(),
    }),
    reveal: (body: string, { type, input }: Command<{ material: SealedSecret }>): string =>
      JSON.stringify(decryptSecretInResponse(api, { type, body, commandSecret: input.material.sealed })),
    // Replaces header values by keyed hashes before the body is hashed for idempotency. From
    // unkeyed hashes, an attacker could guess values at a million tries per second.
    concealed: (body: unknown): unknown => {
      const { headers } = Object(body) as EndpointBody;
      if (!headers) return body;
      const values = Object.entries(headers).map(([name, value]) => [
        name,
        hmacSha256(api.sealingKey, String(value)).toString('base64url'),
      ]);
      return { ...Object(body), headers: Object.fromEntries(values) };
    },
  };
}
