import type { Command } from '../../shared/contracts/command.js';
import { unseal } from '../../shared/platform/crypto.js';
import { type KeyKind, type KeyMaterial, mintKey } from '../../shared/resources/api-keys/credential.js';
import type { ApiContext } from '../context.js';
import type { ApiRuntime } from '../runtime.js';

/** Makes a key on the way in and shows it on the way out; between the two it travels sealed. */
export function keyMaking(api: ApiRuntime, kind: KeyKind) {
  return {
    complete: <T extends object>(input: T, ctx: ApiContext) => {
      const { material } = mintKey(kind, ctx.state.key.environment, api.sealingKey);
      return { ...input, material };
    },
    reveal: (body: string, command: Command<{ material: KeyMaterial }>): string => {
      const answer = JSON.parse(body) as { key?: string | null };
      // An answer whose reply was lost is rebuilt from the record, which does not hold the key: it is this very command's.
      const { key: sealed = command.input.material.sealed } = answer;
      return JSON.stringify({ ...answer, key: sealed && unseal(api.sealingKey, sealed) });
    },
  };
}
