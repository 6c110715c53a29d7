import {
  Button,
  Checkbox,
  Fieldset,
  Group,
  Input,
  PasswordInput,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useRef, useState } from 'react';

interface Row {
  key: number;
  name: string;
  value: string;
}

/**
 * The custom headers of each delivery. The API never returns their values again, so a person can
 * only replace all headers at once.
 * @param names names of the stored headers
 * @param onHeaders called with undefined as long as the stored headers stay unchanged
 */
export function HeaderFields({
  names,
  error,
  onHeaders,
}: {
  names: readonly string[];
  error: string | undefined;
  onHeaders: (headers: Record<string, string> | null | undefined) => void;
}) {
  const [isReplacing, setReplacing] = useState(names.length === 0);
  const [rows, setRows] = useState<readonly Row[]>([]);
  const nextKey = useRef(0);
  const change = (next: readonly Row[]) => {
    setRows(next);
    onHeaders(toHeaders(next, names));
  };
  const replace = (isOn: boolean) => {
    setReplacing(isOn);
    setRows([]);
    onHeaders(isOn ? null : undefined);
  };
  const add = () => {
    nextKey.current += 1;
    change([...rows, { key: nextKey.current, name: '', value: '' }]);
  };
  const patch = (key: number, part: Partial<Row>) =>
    change(rows.map((row) => (row.key === key ? { ...row, ...part } : row)));
  return (
    <Fieldset legend="Headers">
      <Stack gap="xs" align="stretch">
        <Text size="sm" c="dimmed">
          Sent with each delivery, such as a token of your gateway. Their values are never shown again.
        </Text>
        {names.length > 0 && (
          <Checkbox
            label={`Replace the headers ${names.join(', ')}`}
            checked={isReplacing}
            onChange={(event) => replace(event.currentTarget.checked)}
          />
        )}
        {rows.map((row, index) => (
          <HeaderRow
            key={row.key}
            row={row}
            number={index + 1}
            onPatch={(part) => patch(row.key, part)}
            onRemove={() => change(rows.filter(({ key }) => key !== row.key))}
          />
        ))}
        {error && <Input.Error>{error}</Input.Error>}
        {isReplacing && (
          <Group>
            <Button variant="default" size="xs" onClick={add}>
              Add header
            </Button>
          </Group>
        )}
      </Stack>
    </Fieldset>
  );
}

function HeaderRow({
  row,
  number,
  onPatch,
  onRemove,
}: {
  row: Row;
  number: number;
  onPatch: (part: Partial<Row>) => void;
  onRemove: () => void;
}) {
  return (
    <Group gap="xs" align="flex-end">
      <TextInput
        label={`Header ${number}`}
        flex="1 1 140px"
        placeholder="Authorization"
        value={row.name}
        onChange={(event) => onPatch({ name: event.currentTarget.value.trim() })}
      />
      <PasswordInput
        label={`Value ${number}`}
        flex="1 1 160px"
        autoComplete="off"
        value={row.value}
        onChange={(event) => onPatch({ value: event.currentTarget.value })}
      />
      <Button variant="default" onClick={onRemove}>
        Remove
      </Button>
    </Group>
  );
}

/**
 * Returns the headers to send. Without filled rows, returns null to remove the stored headers, or
 * undefined if there are none.
 */
function toHeaders(
  rows: readonly Row[],
  names: readonly string[],
): Record<string, string> | null | undefined {
  const filled = rows.filter(({ name, value }) => name !== '' || value !== '');
  if (filled.length === 0) return names.length > 0 ? null : undefined;
  return Object.fromEntries(filled.map(({ name, value }) => [name, value]));
}
