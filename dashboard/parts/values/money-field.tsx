import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { parseCents } from './money';

/**
 * A field for an amount in dollars. It reports cents, or undefined if the text is not a valid
 * amount.
 */
export function MoneyField({
  cents,
  onCents,
  ...props
}: { cents: number | undefined; onCents: (cents: number | undefined) => void } & Omit<
  TextInputProps,
  'value' | 'onChange'
>) {
  const [text, setText] = useState(cents === undefined ? '' : (cents / 100).toFixed(2));
  const shown = parseCents(text) === cents || cents === undefined ? text : (cents / 100).toFixed(2);
  return (
    <TextInput
      inputMode="decimal"
      leftSection="$"
      {...props}
      value={shown}
      onChange={(event) => {
        setText(event.currentTarget.value);
        onCents(parseCents(event.currentTarget.value));
      }}
      onBlur={() => cents !== undefined && setText((cents / 100).toFixed(2))}
    />
  );
}
