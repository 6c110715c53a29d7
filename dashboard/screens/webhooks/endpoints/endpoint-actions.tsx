import { Button } from '@mantine/core';
import { type ComponentType, useState } from 'react';
import { useCan } from '../../../api/session';
import type { Endpoint } from '../choices/endpoint-names';
import { Recover } from '../replays/recover';
import { RollSecret } from './roll-secret';
import { SendTest } from './send-test';

type DialogOf = ComponentType<{ endpoint: Endpoint; onClose: () => void }>;

/** A disabled endpoint gets neither test events nor recoveries. */
const ACTIONS: readonly { label: string; Dialog: DialogOf; needsEnabled: boolean }[] = [
  { label: 'Send test event', Dialog: SendTest, needsEnabled: true },
  { label: 'Roll', Dialog: RollSecret, needsEnabled: false },
  { label: 'Recover', Dialog: Recover, needsEnabled: true },
];

export function EndpointActions({ endpoint }: { endpoint: Endpoint }) {
  const [open, setOpen] = useState<string>();
  const canChange = useCan('admin');
  const Dialog = ACTIONS.find(({ label }) => label === open)?.Dialog;
  if (!canChange) return null;
  return (
    <>
      {ACTIONS.filter(({ needsEnabled }) => endpoint.enabled || !needsEnabled).map(({ label }) => (
        <Button key={label} variant="default" onClick={() => setOpen(label)}>
          {label}
        </Button>
      ))}
      {Dialog && <Dialog endpoint={endpoint} onClose={() => setOpen(undefined)} />}
    </>
  );
}
