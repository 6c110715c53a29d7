import type { Principal } from '../shared/contracts/principal.js';
import type { Tool } from './tools/tool.js';

/** Whether a key may use a tool. A read-only key never writes, whatever scopes it holds. */
export function mayUse(
  { scopes, readOnly }: Principal,
  { scope, kind }: Pick<Tool, 'scope' | 'kind'>,
): boolean {
  return scopes.includes(scope) && !(readOnly && kind === 'write');
}
