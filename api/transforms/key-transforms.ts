import type { Command } from '../../shared/contracts/command.js';
import { type KeyKind, type KeyMaterial, mintKey } from '../../shared/resources/api-keys/credential.js';
import type { ApiContext } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';
import { decryptSecretInResponse } from './decrypt-secret.js';

/**
 * Creates the functions of a route that creates keys. `prepareInput` adds a new, encrypted key to
 * the command's input, and `transformResponse` decrypts the key in the response.
 */
export function createKeyTransforms(api: ApiRuntime, kind: KeyKind) {
  return {
    prepareInput: <T extends object>(input: T, ctx: ApiContext) => {
      const { material } = mintKey(kind, ctx.state.key.environment, api.sealingKey);
      return { ...input, material };
    },
    transformResponse: (body: string, { type, input }: Command<{ material: KeyMaterial }>): string =>
      JSON.stringify(decryptSecretInResponse(api, { type, body, commandSecret: input.material.sealed })),
  };
}
