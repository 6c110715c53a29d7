import type { Command } from '../../shared/contracts/command.js';
import { hmacSha256 } from '../../shared/platform/crypto.js';
import { sealHeaders } from '../../shared/resources/webhook-endpoints/headers.js';
import {
  mintKeyPair,
  mintSecret,
  type SealedKeyPair,
  type SealedSecret,
} from '../../shared/resources/webhook-endpoints/secret.js';
import type { ApiRuntime } from '../runtime.js';
import { assertDeliverable } from './assert-deliverable.js';
import { openSecret } from './open-secret.js';

/** What a body of an endpoint may hold, before anything in it is sealed. */
interface EndpointBody {
  url?: string;
  headers?: Record<string, string> | null;
  asymmetric?: boolean;
}

/** Checks addresses, encrypts headers and makes secrets on the way in, and shows a new secret on the way out. */
export function endpointSealing(api: ApiRuntime) {
  const secret = (): SealedSecret => ({ sealed: mintSecret(api.webhookKeys.secrets).sealed });
  const keyPair = (): SealedKeyPair => {
    const { sealed, publicKey } = mintKeyPair(api.webhookKeys.secrets);
    return { sealed, publicKey };
  };
  /** `T` is the body as it travels, which comes in as the client sent it. */
  const changed = <T extends object>(input: T): T => {
    const { headers, ...rest } = input as EndpointBody;
    if (rest.url !== undefined) assertDeliverable(api, rest.url);
    return {
      ...rest,
      ...(headers === undefined ? {} : sealHeaders(api.webhookKeys.headers, headers)),
      ...(rest.asymmetric ? { pair: keyPair() } : {}),
    } as T;
  };
  return {
    changed,
    created: <T extends object>(input: T): T => ({ ...changed(input), material: secret() }),
    /** Whether the endpoint signs with ed25519 only its handler knows. */
    rotated: <T extends object>(input: T): T => ({ ...input, material: secret(), pair: keyPair() }),
    reveal: (body: string, { type, input }: Command<{ material: SealedSecret }>): string =>
      JSON.stringify(openSecret(api, { type, body, own: input.material.sealed })),
    // A plain hash of the body would let whoever reads it try values of headers a million times a second.
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
