import { COMMANDS } from './registry.js';

const EXIT_CODES = `Exit codes
  0  done
  1  failed, or a check of \`tow doctor\` did
  2  the command line is wrong
  3  a setting is wrong
  4  no such tenant, key or command
  5  PostgreSQL, Redis or the API cannot be reached; trying again may help`;

const NOTES = `Settings are those of the service (environment). Without DATABASE_URL the database is the embedded one in DATA_DIR: that of a running
\`npm start\`, or else started for the duration of the command. With --json every command prints one JSON document on standard output:
{"ok":true,"data":{…}} or {"ok":false,"error":{"code","message"}}; \`tow listen\` one line per event before it. \`tow listen\`, \`tow trigger\` and \`tow export\` call the API with
--key, else TOW_API_KEY, else a key of the demo that \`npm start\` made in DATA_DIR; its address comes from --api-url, TOW_API_URL or the demo likewise.
\`tow mcp\` takes its key from TOW_AGENT_KEY and its address from --mcp-url or TOW_MCP_URL, or both from the demo.`;

/** The text of `tow help`. */
export function helpText(): string {
  const commands = COMMANDS.map(({ name, usage, summary }) =>
    `  tow ${name} ${usage}`.trimEnd().concat(`\n      ${summary}`),
  );
  commands.push('  tow help, tow --version\n      This text, and the version.');
  return ['tow: operate the tow dispatch and billing service', commands.join('\n'), NOTES, EXIT_CODES].join(
    '\n\n',
  );
}
