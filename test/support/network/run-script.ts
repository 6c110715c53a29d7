/**
 * The command that runs a TypeScript file of the project or, as `-e <text>`, a module that is given
 * as text.
 */
export function buildScriptCommand(...args: string[]): string[] {
  return ['node', '--import', 'tsx', ...(args[0] === '-e' ? ['--input-type=module'] : []), ...args];
}
