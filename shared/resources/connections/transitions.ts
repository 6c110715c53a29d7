import type { ConnectionStatus } from './vocabulary.js';

export type ConnectionMove = 'verify' | 'refuse' | 'fail' | 'recover' | 'pause' | 'resume' | 'disconnect';

/**
 * For each status, the moves that it allows, with the status after the move. Any other move changes
 * nothing, and a client that requests it gets a 409.
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

export function nextConnectionStatus(
  status: ConnectionStatus,
  move: ConnectionMove,
): ConnectionStatus | undefined {
  return CONNECTION_TRANSITIONS[status][move];
}
