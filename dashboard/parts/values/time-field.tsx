import { TextInput, type TextInputProps } from '@mantine/core';
import { useTimeZone } from '../../api/session';
import { fromZonedInput, toZonedInput } from './zoned-time';

/**
 * A field for a date and time in the account's time zone. It reports an instant, or null if the
 * field is empty.
 */
export function TimeField({
  at,
  onAt,
  ...props
}: { at: string | null; onAt: (at: string | null) => void } & Omit<TextInputProps, 'value' | 'onChange'>) {
  const timeZone = useTimeZone();
  return (
    <TextInput
      type="datetime-local"
      description={`Time zone ${timeZone}`}
      {...props}
      value={at ? toZonedInput(at, timeZone) : ''}
      onChange={(event) => onAt(fromZonedInput(event.currentTarget.value, timeZone))}
    />
  );
}
