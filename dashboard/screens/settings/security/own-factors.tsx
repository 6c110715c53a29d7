import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { Loading } from '../../../parts/basics/loading';
import { ConfirmDialog } from '../../../parts/dialogs/confirm-dialog';
import { AddFactor } from '../../../parts/factors/add-factor';
import { hasPasskeys } from '../../../parts/factors/passkeys';
import { RecoveryCodes } from '../../../parts/factors/recovery-codes';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { RecordTable } from '../../../parts/record/record-table';
import { TimeAgo } from '../../../parts/values/time';
import { useOwnFactors } from './use-own-factors';

type Factor = Schemas['Factor'];
type Dialog = { add: 'totp' | 'passkey' } | { remove: Factor } | 'codes';

const KIND_NAMES: Record<Schemas['FactorKind'], string> = {
  totp: 'Authenticator app',
  passkey: 'Passkey',
  recovery_codes: 'Recovery codes',
};

/** The person's second factors. */
export function OwnFactors() {
  const { factors, hasFactor = false, error, isPending, refetch } = useOwnFactors();
  const [dialog, setDialog] = useState<Dialog>();
  const close = () => setDialog(undefined);
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        Second factors
      </Title>
      <Text size="sm" c="dimmed">
        With a second factor, your password alone does not suffice to sign in. You are also asked for it
        before changes of keys, people and factors, and before a vendor is connected.
      </Text>
      {isPending && <Loading rows={2} />}
      {!isPending && !factors && <ProblemAlert problem={error} onRetry={() => void refetch()} />}
      {factors && <FactorTable factors={factors} onRemove={(remove) => setDialog({ remove })} />}
      <Group gap="xs">
        <Button variant="default" size="xs" onClick={() => setDialog({ add: 'totp' })}>
          Add authenticator app
        </Button>
        {hasPasskeys() && (
          <Button variant="default" size="xs" onClick={() => setDialog({ add: 'passkey' })}>
            Add passkey
          </Button>
        )}
        {hasFactor && (
          <Button variant="default" size="xs" onClick={() => setDialog('codes')}>
            New recovery codes
          </Button>
        )}
      </Group>
      {dialog === 'codes' && <RenewCodes onClose={close} />}
      {dialog && dialog !== 'codes' && 'add' in dialog && (
        <AddFactor kind={dialog.add} isFirst={!hasFactor} onClose={close} />
      )}
      {dialog && dialog !== 'codes' && 'remove' in dialog && (
        <RemoveFactor factor={dialog.remove} onClose={close} />
      )}
    </Stack>
  );
}

function FactorTable({ factors, onRemove }: { factors: Factor[]; onRemove: (factor: Factor) => void }) {
  return (
    <RecordTable<Factor>
      label="Second factors"
      rows={factors}
      rowKey={({ id }) => id}
      empty="You have no second factor."
      columns={[
        { header: 'Name', render: ({ name }) => name },
        { header: 'Kind', render: (factor) => describeKind(factor) },
        { header: 'Added', render: ({ confirmed_at: at }) => <TimeAgo at={at} /> },
        { header: 'Last used', render: ({ last_used_at: at }) => <TimeAgo at={at} empty="Never" /> },
        {
          header: 'Actions',
          render: (factor) => (
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Remove ${factor.name}`}
              onClick={() => onRemove(factor)}
            >
              Remove
            </Button>
          ),
        },
      ]}
    />
  );
}

function describeKind({ kind, codes_left: left }: Factor): string {
  return left === null ? KIND_NAMES[kind] : `${left} of 10 codes left`;
}

function RemoveFactor({ factor, onClose }: { factor: Factor; onClose: () => void }) {
  const write = useWrite(
    (headers, id: string) => client.DELETE('/me/factors/{id}', { params: { path: { id }, header: headers } }),
    { done: ({ name }) => `${name} was removed` },
  );
  return (
    <ConfirmDialog
      title={`Remove ${factor.name}`}
      verb="Remove"
      effect="It no longer works, at sign-in and when you are asked again. With your last factor, the recovery codes leave too."
      write={write}
      onConfirm={() => void write.run(factor.id).then((removed) => removed && onClose())}
      onClose={onClose}
    />
  );
}

function RenewCodes({ onClose }: { onClose: () => void }) {
  const [codes, setCodes] = useState<readonly string[]>();
  const write = useWrite((headers, _nothing: undefined) =>
    client.POST('/me/factors/recovery-codes', { params: { header: headers } }),
  );
  if (codes) return <RecoveryCodes codes={codes} onClose={onClose} />;
  const renew = async () => {
    const renewed = await write.run(undefined);
    if (renewed?.recovery_codes) setCodes(renewed.recovery_codes);
  };
  return (
    <ConfirmDialog
      title="New recovery codes"
      verb="Make new codes"
      effect="You get ten new codes. The old ones stop working."
      write={write}
      onConfirm={() => void renew()}
      onClose={onClose}
    />
  );
}
