/** States of a connection (docs/decisions.md §11). */
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

/** Connections of an account, revoked ones not counted. */
export const MAX_CONNECTIONS = 50;
