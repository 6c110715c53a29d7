/** docs/decisions.md §11 defines them. */
export const CONNECTION_STATUSES = [
  'pending',
  'active',
  'paused',
  'needs_reauth',
  'failing',
  'revoked',
] as const;
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number];

export const OPERATION_STATES = ['due', 'doing', 'done', 'waiting', 'dead'] as const;

/** Maximum connections per account, without revoked ones. */
export const MAX_CONNECTIONS = 50;
