import type { ConnectionStatus } from './vocabulary.js';

export type ConnectionMove = 'verify' | 'refuse' | 'fail' | 'recover' | 'pause' | 'resume' | 'disconnect';

/**
 * Maps each status to the moves that it allows, and each move to the next status. Any other move
 * changes nothing. A client that requests such a move gets a 409, unless the connection already has
 * the requested status.
 */
const CONNECTION_TRANSITIONS: Readonly<
  Record<ConnectionStatus, Readonly<Partial<Record<ConnectionMove, ConnectionStatus>>>>
> = {
  pending: { verify: 'active', refuse: 'needs_reauth', disconnect: 'revoked' },
  active: { fail: 'failing', refuse: 'needs_reauth', pause: 'paused', disconnect: 'revoked' },
  failing: {
    verify: 'active',
    recover: 'active',
    refuse: 'needs_reauth',
    pause: 'paused',
    disconnect: 'revoked',
  },
  needs_reauth: { verify: 'active', disconnect: 'revoked' },
  paused: { resume: 'active', disconnect: 'revoked' },
  revoked: {},
};

/**
 * The actions of clients on a connection. Each action has its own route; `disconnect` is DELETE.
 */
export const CONNECTION_ACTIONS = ['test', 'sync', 'pause', 'resume', 'reconnect', 'disconnect'] as const;
export type ConnectionAction = (typeof CONNECTION_ACTIONS)[number];

export function isActionAllowed(action: ConnectionAction, status: ConnectionStatus): boolean {
  if (action === 'test') return status !== 'revoked' && status !== 'paused';
  if (action === 'sync') return status === 'active' || status === 'failing';
  if (action === 'reconnect') return status !== 'revoked';
  return nextConnectionStatus(status, action) !== undefined;
}

export function nextConnectionStatus(
  status: ConnectionStatus,
  move: ConnectionMove,
): ConnectionStatus | undefined {
  return CONNECTION_TRANSITIONS[status][move];
}
