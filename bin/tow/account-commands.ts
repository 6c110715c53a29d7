import type { CommandEntry } from './command-entry.js';

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

/** The commands that move an account to another deployment (docs/guides/cells.md). */
export const ACCOUNT_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'accounts freeze',
    usage: '--tenant ID',
    summary: 'Stop all writes of an account and of its sandbox, to move them to another deployment.',
    options: { tenant: text },
    required: ['tenant'],
    positionals: 0,
    load: async () => (await import('../commands/accounts/freeze.js')).freezeAccount,
  },
  {
    name: 'accounts dump',
    usage: '--tenant ID --out FOLDER',
    summary: 'Write all rows and objects of a frozen account into a new folder.',
    options: { tenant: text, out: text },
    required: ['tenant', 'out'],
    positionals: 0,
    load: async () => (await import('../commands/accounts/dump.js')).dumpAccount,
  },
  {
    name: 'accounts restore',
    usage: 'FOLDER',
    summary: 'Store a dumped account in this deployment, frozen, and compare it with the dump.',
    options: {},
    required: [],
    positionals: 1,
    load: async () => (await import('../commands/accounts/restore.js')).restoreAccount,
  },
  {
    name: 'accounts release',
    usage: '--tenant ID [--discard-dump]',
    summary: 'End the freeze of an account. --discard-dump: here, to give up a move after its dump.',
    options: { tenant: text, 'discard-dump': flag },
    required: ['tenant'],
    positionals: 0,
    load: async () => (await import('../commands/accounts/freeze.js')).releaseAccount,
  },
  {
    name: 'accounts routes',
    usage: '--tenant ID --cell NAME',
    summary: "Print the lines of the balancer's map that lead an account's requests to a deployment.",
    options: { tenant: text, cell: text },
    required: ['tenant', 'cell'],
    positionals: 0,
    load: async () => (await import('../commands/accounts/routes.js')).listRoutes,
  },
  {
    name: 'accounts delete',
    usage: '--tenant ID --name NAME',
    summary:
      'Delete an account that was dumped here and is in use elsewhere, or a copy that was never released.',
    options: { tenant: text, name: text },
    required: ['tenant', 'name'],
    positionals: 0,
    load: async () => (await import('../commands/accounts/delete.js')).deleteMovedAccount,
  },
];
