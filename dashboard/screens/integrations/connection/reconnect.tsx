import { Button } from '@mantine/core';
import { useState } from 'react';
import { client, ifMatch } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { SignInDialog } from '../connect/sign-in-dialog';
import { useVendorName } from '../vendors/use-integrations';
import type { Connection } from '../vendors/vendor-kinds';

/**
 * Signs in again at a vendor with OAuth.
 * @param isUrgent true if the connection does not work before a new sign-in
 */
export function ReconnectButton({ connection, isUrgent }: { connection: Connection; isUrgent: boolean }) {
  const nameVendor = useVendorName();
  const [started, setStarted] = useState<Schemas['ConnectionWithSignIn']>();
  const reconnect = useWrite((headers) =>
    client.POST('/connections/{id}/reconnect', {
      params: { path: { id: connection.id }, header: { ...headers, ...ifMatch(connection) } },
      body: {},
    }),
  );
  return (
    <>
      {reconnect.problem && <ProblemAlert problem={reconnect.problem} />}
      <Button
        variant={isUrgent ? 'filled' : 'default'}
        loading={reconnect.isRunning}
        onClick={async () => setStarted(await reconnect.run(undefined))}
      >
        Reconnect
      </Button>
      {started && (
        <SignInDialog
          vendorName={nameVendor(connection.vendor)}
          started={started}
          onClose={() => setStarted(undefined)}
        />
      )}
    </>
  );
}
