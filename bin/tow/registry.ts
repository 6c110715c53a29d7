import type { ParseArgsConfig } from 'node:util';
import type { RunCommand } from '../cli/command.js';
import { TRIGGERABLE_TYPES } from '../commands/trigger/recipes.js';

export interface CommandEntry {
  name: string;
  usage: string;
  summary: string;
  options: NonNullable<ParseArgsConfig['options']>;
  required: readonly string[];
  /** If true, only the command itself writes to standard output. */
  ownsStdout?: boolean;
  /** Number of positional arguments. */
  positionals: number;
  /**
   * Imports the command's module. Called only when the command runs, so that `tow help` loads no
   * drivers.
   */
  load: () => Promise<RunCommand>;
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

/** The options of every command that calls the API. */
const API_USAGE = '[--key KEY] [--api-url URL]';
const API_OPTIONS = { key: text, 'api-url': text };

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'migrate',
    usage: '',
    summary: 'Migrate the database to this version. Safe to run again.',
    options: {},
    required: [],
    positionals: 0,
    load: async () => (await import('../commands/migrate.js')).migrateDatabase,
  },
  {
    name: 'tenants create',
    usage: '--name NAME [--tier starter|standard|premium] [--time-zone TZ]',
    summary: 'Create a tenant and its sandbox.',
    options: { name: text, tier: text, 'time-zone': text },
    required: ['name'],
    positionals: 0,
    load: async () => (await import('../commands/tenants.js')).createTenant,
  },
  {
    name: 'tenants list',
    usage: '',
    summary: 'List all tenants and their sandboxes.',
    options: {},
    required: [],
    positionals: 0,
    load: async () => (await import('../commands/tenants.js')).listTenants,
  },
  {
    name: 'signup-tokens create',
    usage: '[--days N]',
    summary: 'Create a token that allows one sign-up if SIGNUP is invite, and show it once.',
    options: { days: text },
    required: [],
    positionals: 0,
    load: async () => (await import('../commands/sign-up-tokens.js')).createSignUpToken,
  },
  {
    name: 'keys create',
    usage:
      '--tenant ID --name NAME [--permissions read,write] [--agent --scopes a,b] [--read-only] [--sandbox] [--expires-at RFC3339]',
    summary: "Create an API key or an agent key and show it once. --sandbox: for the tenant's sandbox.",
    options: {
      tenant: text,
      name: text,
      permissions: text,
      agent: flag,
      scopes: text,
      'read-only': flag,
      sandbox: flag,
      'expires-at': text,
    },
    required: ['tenant', 'name'],
    positionals: 0,
    load: async () => (await import('../commands/key-create.js')).createKey,
  },
  {
    name: 'keys list',
    usage: '--tenant ID [--sandbox]',
    summary: "List a tenant's keys, including revoked and expired ones.",
    options: { tenant: text, sandbox: flag },
    required: ['tenant'],
    positionals: 0,
    load: async () => (await import('../commands/keys.js')).listKeys,
  },
  {
    name: 'keys revoke',
    usage: '--tenant ID [--sandbox] KEY_ID',
    summary: 'Revoke a key; running processes refuse it within 5 seconds.',
    options: { tenant: text, sandbox: flag },
    required: ['tenant'],
    positionals: 1,
    load: async () => (await import('../commands/keys.js')).revokeKey,
  },
  {
    name: 'users create',
    usage: '--tenant ID --name NAME --email EMAIL',
    summary: 'Add a person who can sign in, and show the password once.',
    options: { tenant: text, name: text, email: text },
    required: ['tenant', 'name', 'email'],
    positionals: 0,
    load: async () => (await import('../commands/users.js')).createUser,
  },
  {
    name: 'users remove-factors',
    usage: '--tenant ID --email EMAIL',
    summary: 'Remove the second factors of a person who has lost them.',
    options: { tenant: text, email: text },
    required: ['tenant', 'email'],
    positionals: 0,
    load: async () => (await import('../commands/users.js')).removeFactors,
  },
  {
    name: 'commands parked',
    usage: '',
    summary: 'List writes that were parked because they killed their worker too often.',
    options: {},
    required: [],
    positionals: 0,
    load: async () => (await import('../commands/parked-commands.js')).listParkedCommands,
  },
  {
    name: 'commands replay',
    usage: '--tenant ID COMMAND_ID',
    summary: 'Run a parked write again; the clock submits it to the workers within seconds.',
    options: { tenant: text },
    required: ['tenant'],
    positionals: 1,
    load: async () => (await import('../commands/parked-commands.js')).replayParkedCommand,
  },
  {
    name: 'lost-writes list',
    usage: '',
    summary: 'List acknowledged writes that the promotion of a PostgreSQL standby has lost.',
    options: {},
    required: [],
    positionals: 0,
    load: async () => (await import('../commands/lost-writes.js')).listLostWrites,
  },
  {
    name: 'lost-writes resolve',
    usage: '',
    summary: 'Mark all lost writes as made again, so that tow doctor reports them no longer.',
    options: {},
    required: [],
    positionals: 0,
    load: async () => (await import('../commands/lost-writes.js')).resolveAllLostWrites,
  },
  {
    name: 'vendor-double',
    usage: 'VENDOR [--port PORT]',
    summary: 'Run a stand-in for a vendor on this machine, to try connections, such as stripe or roadsync.',
    options: { port: text },
    required: [],
    positionals: 1,
    ownsStdout: true,
    load: async () => (await import('../commands/vendor-double.js')).runVendorDouble,
  },
  {
    name: 'listen',
    usage: `--forward-to URL [--events invoice.*,…] [--sandbox] ${API_USAGE} [--from-now] [--print-secret]`,
    summary:
      'Forward the events of an account to a local address as signed webhooks, until Ctrl-C. A later run continues where this one ended. --print-secret only shows the signing secret.',
    options: {
      'forward-to': text,
      events: text,
      sandbox: flag,
      ...API_OPTIONS,
      'from-now': flag,
      'print-secret': flag,
    },
    required: ['forward-to'],
    positionals: 0,
    load: async () => (await import('../commands/listen/listen.js')).listen,
  },
  {
    name: 'trigger',
    usage: `EVENT ${API_USAGE} [--live]`,
    summary: `Cause a real event in the sandbox: ${TRIGGERABLE_TYPES.join(', ')}.`,
    options: { ...API_OPTIONS, live: flag },
    required: [],
    positionals: 1,
    load: async () => (await import('../commands/trigger/trigger.js')).trigger,
  },
  {
    name: 'export',
    usage: `RESOURCE [--format csv,json,ndjson,dump] [--since DATE] [--until DATE] [--status S] [--search TEXT] [--include line_items,payments] [--bom] [--decimals] [--wait] [-o FILE] [--sandbox] ${API_USAGE}`,
    summary:
      'Export invoices, customers, work-orders, inspections or all; -o waits for the file and downloads it (to a folder if it ends in /), --wait prints its link.',
    options: {
      format: text,
      since: text,
      until: text,
      status: text,
      search: text,
      include: text,
      bom: flag,
      decimals: flag,
      wait: flag,
      output: { type: 'string', short: 'o' },
      sandbox: flag,
      ...API_OPTIONS,
    },
    required: [],
    positionals: 1,
    load: async () => (await import('../commands/export/export.js')).exportRecords,
  },
  {
    name: 'mcp',
    usage: '[--mcp-url URL] [--sandbox]',
    summary:
      "Serve agents on this machine over stdio, as a bridge to the MCP server. The key comes from TOW_AGENT_KEY (default: the demo's).",
    options: { 'mcp-url': text, sandbox: flag },
    required: [],
    ownsStdout: true,
    positionals: 0,
    load: async () => (await import('../commands/mcp/mcp.js')).serveStdio,
  },
  {
    name: 'secret-key adopt',
    usage: '',
    summary: 'After a planned change of SECRET_KEY: make the new key the one that every process must have.',
    options: {},
    required: [],
    positionals: 0,
    load: async () => (await import('../commands/secret-key.js')).adoptConfiguredSecretKey,
  },
  {
    name: 'doctor',
    usage: '',
    summary:
      'Check settings, PostgreSQL, migrations, SECRET_KEY, Redis, storage, Node.js and DATA_DIR, and say how to fix each failure.',
    options: {},
    required: [],
    positionals: 0,
    load: async () => (await import('../commands/doctor.js')).runDoctor,
  },
];
