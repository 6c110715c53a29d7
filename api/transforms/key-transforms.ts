import type { Command } from '../../shared/contracts/command.js';
import { type KeyKind, type KeyMaterial, mintKey } from '../../shared/resources/api-keys/credential.js';
import type { ApiContext } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';
import { decryptSecretInResponse } from './decrypt-secret.js';

/**
 * Creates the functions of the routes that create keys. `prepareInput` adds a new, encrypted key to
 * the command's input. `prepareRoll` also adds the key that the new key replaces.
 * `transformResponse` decrypts the new key in the response.
 */
export function createKeyTransforms(api: ApiRuntime, kind: KeyKind) {
  const prepareInput = <T extends object>(input: T, ctx: ApiContext) => {
    const { material } = mintKey(kind, ctx.state.key.environment, api.sealingKey);
    return { ...input, material };
  };
  return {
    prepareInput,
    prepareRoll: <T extends object>(input: T, ctx: ApiContext) => ({
      ...prepareInput(input, ctx),
      from_id: String(ctx.params.id).toLowerCase(),
    }),
    transformResponse: (body: string, { type, input }: Command<{ material: KeyMaterial }>): string =>
      JSON.stringify(decryptSecretInResponse(api, { type, body, commandSecret: input.material.sealed })),
  };
}
