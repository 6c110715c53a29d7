/**
 * Builds the command that runs a TypeScript file. With `-e <text>`, the command runs the text as a
 * module.
 */
export function buildScriptCommand(...args: string[]): string[] {
  return ['node', '--import', 'tsx', ...(args[0] === '-e' ? ['--input-type=module'] : []), ...args];
}
