import { NativeSelect, SimpleGrid } from '@mantine/core';
import { useState } from 'react';
import { TimeField } from '../../../parts/values/time-field';

const CHOICES = [
  { value: 'never', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In one year' },
  { value: 'time', label: 'At a date and time' },
];

/** Chooses when a key stops working. Reports an instant, or null if the key never expires. */
export function ExpiryField({
  at,
  error,
  onAt,
}: {
  at: string | null;
  error: string | undefined;
  onAt: (at: string | null) => void;
}) {
  const [choice, setChoice] = useState('never');
  const choose = (value: string) => {
    setChoice(value);
    if (value === 'never') onAt(null);
    else if (value !== 'time') onAt(new Date(Date.now() + Number(value) * 86_400_000).toISOString());
  };
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      <NativeSelect
        label="Expires"
        data={CHOICES}
        value={choice}
        error={choice === 'time' ? undefined : error}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {choice === 'time' && <TimeField label="Expires at" at={at} error={error} onAt={onAt} />}
    </SimpleGrid>
  );
}
