import type { ParseArgsConfig } from 'node:util';
import type { RunCommand } from './command.js';
import { TRIGGERABLE } from './trigger/recipes.js';

/** A command as the command line and its help know it. */
export interface CommandEntry {
  name: string;
  usage: string;
  summary: string;
  options: NonNullable<ParseArgsConfig['options']>;
  /** Options that must be given. */
  required: readonly string[];
  /** True: nothing but the command itself writes to standard output. */
  ownsStdout?: boolean;
  /** How many arguments stand beside the options. */
  positionals: number;
  /** Loads only what this command needs: a help text should not wait for the drivers. */
  load: () => Promise<RunCommand>;
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

/** Of commands that call the API. */
const API_USAGE = '[--key KEY] [--api-url URL]';
const API_OPTIONS = { key: text, 'api-url': text };

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'migrate',
    usage: '',
    summary: 'Bring the database to this version. Safe to run again.',
    options: {},
    required: [],
    positionals: 0,
    load: async () => (await import('./migrate.js')).migrateDatabase,
  },
  {
    name: 'tenants create',
    usage: '--name NAME [--tier starter|standard|premium] [--time-zone TZ]',
    summary: 'Make a tenant and its sandbox twin.',
    options: { name: text, tier: text, 'time-zone': text },
    required: ['name'],
    positionals: 0,
    load: async () => (await import('./tenants.js')).createTenant,
  },
  {
    name: 'tenants list',
    usage: '',
    summary: 'List all tenants and sandbox twins.',
    options: {},
    required: [],
    positionals: 0,
    load: async () => (await import('./tenants.js')).listTenants,
  },
  {
    name: 'keys create',
    usage:
      '--tenant ID --name NAME [--permissions read,write] [--agent --scopes a,b] [--read-only] [--sandbox] [--expires-at RFC3339]',
    summary: 'Make an API key, or an agent key, and show it once. --sandbox: for the twin of the tenant.',
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
    load: async () => (await import('./key-create.js')).createKey,
  },
  {
    name: 'keys list',
    usage: '--tenant ID [--sandbox]',
    summary: "List a tenant's keys, ended ones included.",
    options: { tenant: text, sandbox: flag },
    required: ['tenant'],
    positionals: 0,
    load: async () => (await import('./keys.js')).listKeys,
  },
  {
    name: 'keys revoke',
    usage: '--tenant ID [--sandbox] KEY_ID',
    summary: 'End a key; running processes refuse it within 5 seconds.',
    options: { tenant: text, sandbox: flag },
    required: ['tenant'],
    positionals: 1,
    load: async () => (await import('./keys.js')).revokeKey,
  },
  {
    name: 'users create',
    usage: '--tenant ID --name NAME --email EMAIL',
    summary: 'Add a person who can sign in, and show the password once.',
    options: { tenant: text, name: text, email: text },
    required: ['tenant', 'name', 'email'],
    positionals: 0,
    load: async () => (await import('./users.js')).createUser,
  },
  {
    name: 'commands parked',
    usage: '',
    summary: 'List writes that were set aside because their worker died of them.',
    options: {},
    required: [],
    positionals: 0,
    load: async () => (await import('./parked-commands.js')).listParked,
  },
  {
    name: 'commands replay',
    usage: '--tenant ID COMMAND_ID',
    summary: 'Give a parked write back to the workers; the clock submits it within seconds.',
    options: { tenant: text },
    required: ['tenant'],
    positionals: 1,
    load: async () => (await import('./parked-commands.js')).replayParked,
  },
  {
    name: 'listen',
    usage: `--forward-to URL [--events invoice.*,…] [--sandbox] ${API_USAGE} [--from-now] [--print-secret]`,
    summary:
      'Forward the events of an account to a local address as signed webhooks, until Ctrl-C; a later run goes on where this one ended. With --print-secret it only shows the secret that signs them.',
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
    load: async () => (await import('./listen/listen.js')).listen,
  },
  {
    name: 'trigger',
    usage: `EVENT ${API_USAGE} [--live]`,
    summary: `Make an event really happen in the sandbox: ${TRIGGERABLE.join(', ')}.`,
    options: { ...API_OPTIONS, live: flag },
    required: [],
    positionals: 1,
    load: async () => (await import('./trigger/trigger.js')).trigger,
  },
  {
    name: 'export',
    usage: `RESOURCE [--format csv,json,ndjson,dump] [--since DATE] [--until DATE] [--status S] [--search TEXT] [--include line_items,payments] [--bom] [--decimals] [--wait] [-o FILE] [--sandbox] ${API_USAGE}`,
    summary:
      'Export invoices, customers, work-orders, inspections or all; -o waits for the file and fetches it (a folder when it ends in /), --wait tells its link.',
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
    load: async () => (await import('./export/export.js')).exportRecords,
  },
  {
    name: 'mcp',
    usage: '[--mcp-url URL] [--sandbox]',
    summary:
      "Serve agents on this machine over stdio: a bridge to the MCP server, with the key in TOW_AGENT_KEY (default: the demo's).",
    options: { 'mcp-url': text, sandbox: flag },
    required: [],
    ownsStdout: true,
    positionals: 0,
    load: async () => (await import('./mcp/mcp.js')).serveStdio,
  },
  {
    name: 'secret-key adopt',
    usage: '',
    summary: 'After a planned change of SECRET_KEY: make the new one that which every process must have.',
    options: {},
    required: [],
    positionals: 0,
    load: async () => (await import('./secret-key.js')).adopt,
  },
  {
    name: 'doctor',
    usage: '',
    summary:
      'Check settings, PostgreSQL, migrations, SECRET_KEY, Redis, storage, Node.js and DATA_DIR; says what to do next.',
    options: {},
    required: [],
    positionals: 0,
    load: async () => (await import('./doctor.js')).runDoctor,
  },
];
