/** The statuses that docs/decisions.md §11 defines. */
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

/** Maximum number of connections per account. Revoked connections do not count. */
export const MAX_CONNECTIONS = 50;
