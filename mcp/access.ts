import type { Principal } from '../shared/contracts/principal.js';
import type { Tool } from './tools/tool.js';

/** A read-only key may use no write tool, even if its scopes include the tool's scope. */
export function canUseTool(
  { scopes, readOnly }: Principal,
  { scope, kind }: Pick<Tool, 'scope' | 'kind'>,
): boolean {
  return scopes.includes(scope) && !(readOnly && kind === 'write');
}
