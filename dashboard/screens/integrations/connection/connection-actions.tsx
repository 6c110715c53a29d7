import { Button } from '@mantine/core';
import { useState } from 'react';
import { client, ifMatch } from '../../../api/client';
import { queryClient } from '../../../api/query-client';
import { useCan } from '../../../api/session';
import { showToast } from '../../../api/toast';
import { useWrite } from '../../../api/use-write';
import { ConfirmDialog } from '../../../parts/dialogs/confirm-dialog';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { nameConnection, useIntegration, useVendorName } from '../vendors/use-integrations';
import type { Connection } from '../vendors/vendor-kinds';
import { ReconnectButton } from './reconnect';

type Move = 'test' | 'sync' | 'pause' | 'resume';

const VERBS: Record<Move, { label: string; done: string }> = {
  test: { label: 'Test', done: 'The vendor is asked now. The result appears under Runs.' },
  sync: { label: 'Sync now', done: 'Changes are read now. What is new appears under Runs.' },
  pause: { label: 'Pause', done: 'Connection paused' },
  resume: { label: 'Resume', done: 'Connection resumed' },
};

/** For so long, the claims of a motor club are read after they were submitted. */
const CLAIMS_MS = 180 * 24 * 3600 * 1000;

/**
 * Returns the body of a request to read changes now. Claims have a schedule of their own, and a
 * request without `since` reads only those that are due.
 */
function toSyncBody({ kind }: Connection): { since?: string } {
  return kind === 'motor_club' ? { since: new Date(Date.now() - CLAIMS_MS).toISOString() } : {};
}

/** True for an action that needs no dialog. Disconnecting and signing in have dialogs. */
function isMove(name: Connection['allowed_actions'][number]): name is Move {
  return name in VERBS;
}

/**
 * Reads the connection again after some seconds. The page must poll, because the worker's request
 * to the vendor causes no event.
 */
function readAgainSoon(): void {
  for (const ms of [1500, 4000, 10_000]) setTimeout(() => void queryClient.invalidateQueries(), ms);
}

export function ConnectionActions({ connection }: { connection: Connection }) {
  const isAdmin = useCan('admin');
  const integration = useIntegration(connection.vendor);
  const move = useWrite((headers, name: Move) => {
    const init = {
      params: { path: { id: connection.id }, header: { ...headers, ...ifMatch(connection) } },
      body: {},
    };
    if (name === 'test') return client.POST('/connections/{id}/test', init);
    if (name === 'sync')
      return client.POST('/connections/{id}/sync', { ...init, body: toSyncBody(connection) });
    if (name === 'pause') return client.POST('/connections/{id}/pause', init);
    return client.POST('/connections/{id}/resume', init);
  });
  const run = async (name: Move) => {
    if (!(await move.run(name))) return;
    void showToast(VERBS[name].done);
    readAgainSoon();
  };
  if (!isAdmin) return null;
  const allowed = connection.allowed_actions;
  const needsSignIn = connection.status === 'needs_reauth' || connection.status === 'pending';
  return (
    <>
      {move.problem && <ProblemAlert problem={move.problem} />}
      {allowed.includes('disconnect') && <DisconnectButton connection={connection} />}
      {allowed.filter(isMove).map((name) => (
        <Button key={name} variant="default" loading={move.isRunning} onClick={() => void run(name)}>
          {VERBS[name].label}
        </Button>
      ))}
      {integration?.sign_in && allowed.includes('reconnect') && (
        <ReconnectButton connection={connection} isUrgent={needsSignIn} />
      )}
    </>
  );
}

function DisconnectButton({ connection }: { connection: Connection }) {
  const [isAsking, setAsking] = useState(false);
  const nameVendor = useVendorName();
  const disconnect = useWrite(
    (headers) =>
      client.DELETE('/connections/{id}', {
        params: { path: { id: connection.id }, header: { ...headers, ...ifMatch(connection) } },
      }),
    { done: 'Disconnected' },
  );
  const confirm = async () => {
    if (await disconnect.run(undefined)) setAsking(false);
  };
  const { backlog } = connection.health;
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        Disconnect
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={`Disconnect ${nameConnection(connection, nameVendor)}`}
          verb="Disconnect"
          effect={
            <>
              Nothing is sent or read any more. The permission is revoked at {nameVendor(connection.vendor)},
              and the credentials here are destroyed.{' '}
              {backlog > 0 && `${backlog} writes that wait now will fail. `}
              The history stays. To connect again, start from the catalogue.
            </>
          }
          write={disconnect}
          onConfirm={() => void confirm()}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
