/** Builds the command that runs a TypeScript file, or a module as text: `-e <text>`. */
export function buildScriptCommand(...args: string[]): string[] {
  return ['node', '--import', 'tsx', ...(args[0] === '-e' ? ['--input-type=module'] : []), ...args];
}
