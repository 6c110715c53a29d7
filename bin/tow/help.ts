import { COMMANDS } from './registry.js';

const EXIT_CODES = `Exit codes
  0  done
  1  the command failed, or a check of \`tow doctor\` failed
  2  the command line is wrong
  3  a setting is wrong
  4  no such tenant, key or command
  5  PostgreSQL, Redis or the API cannot be reached; a retry may help`;

const NOTES = `Settings are the environment variables of the service. Without DATABASE_URL the command uses the embedded
PostgreSQL in DATA_DIR: that of a running \`npm start\`, or one that the command starts and stops itself.

With --json every command prints one JSON document on standard output: {"ok":true,"data":{…}} or
{"ok":false,"error":{"code","message"}}. \`tow listen\` prints one more JSON document per event before it.

\`tow listen\`, \`tow trigger\` and \`tow export\` use the key from --key, then TOW_API_KEY, then the demo that
\`npm start\` created in DATA_DIR. They use the address from --api-url, then TOW_API_URL, then the demo.
\`tow mcp\` uses the key from TOW_AGENT_KEY and the address from --mcp-url or TOW_MCP_URL. The demo supplies
the missing ones.`;

export function renderHelp(): string {
  const commands = COMMANDS.map(({ name, usage, summary }) =>
    `  tow ${name} ${usage}`.trimEnd().concat(`\n      ${summary}`),
  );
  commands.push('  tow help, tow --version\n      Print this text, or the version.');
  return ['tow: operate the tow dispatch and billing service', commands.join('\n'), NOTES, EXIT_CODES].join(
    '\n\n',
  );
}
