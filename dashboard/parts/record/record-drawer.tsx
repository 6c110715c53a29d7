import { Drawer, Group, Stack } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { Loading } from '../basics/loading';
import { useFocusReturn } from '../dialogs/use-focus-return';
import { ProblemAlert } from '../feedback/problem-alert';
import { useUrl } from '../url/use-url';

/** What reading the record returned so far; a query of @tanstack/react-query fits. */
interface Reading<Data> {
  data: Data | undefined;
  error: unknown;
  isPending: boolean;
  refetch: () => unknown;
}

/**
 * The drawer of a record, over the list of its screen. Its name is the record's. Closing it shows
 * the list again.
 * @param name how people call the record, such as its number
 * @param status badges beside the name
 */
export function RecordDrawer<Data>({
  reading,
  name,
  status,
  actions,
  size = 'xl',
  onClose,
  children,
}: {
  reading: Reading<Data>;
  name: (data: Data) => string;
  status?: (data: Data) => ReactNode;
  /** Buttons at the top. */
  actions?: (data: Data) => ReactNode;
  size?: string | number;
  /** What closing does, by default {@link useUrl}'s closeRecord. */
  onClose?: () => void;
  children: (data: Data) => ReactNode;
}) {
  useFocusReturn();
  const { closeRecord } = useUrl();
  const close = onClose ?? closeRecord;
  const { data, error, isPending, refetch } = reading;
  useEscapeWithoutFocus(close);
  return (
    <Drawer
      opened
      onClose={close}
      position="right"
      size={size}
      title={data ? name(data) : 'Loading'}
      overlayProps={{ backgroundOpacity: 0.25 }}
      // Escape belongs to the dialog on top, if there is one.
      closeOnEscape={false}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented && !isInsideDialog(event)) close();
      }}
    >
      {isPending && <Loading label="Loading the record" />}
      {!isPending && !data && <ProblemAlert problem={error} onRetry={() => void refetch()} />}
      {data && (
        <Stack gap="md">
          {(status || actions) && (
            <Group gap="xs" justify="space-between">
              <Group gap="xs">{status?.(data)}</Group>
              <Group gap="xs">{actions?.(data)}</Group>
            </Group>
          )}
          {children(data)}
        </Stack>
      )}
    </Drawer>
  );
}

/**
 * Closes the drawer on Escape even if the focus is on the page itself, unless another dialog is
 * open. The focus goes there from a button that disappears once it was pressed.
 */
function useEscapeWithoutFocus(close: () => void): void {
  useEffect(() => {
    const onKeyDown = ({ key, target }: KeyboardEvent) => {
      const isAlone = document.querySelectorAll('[role="dialog"]').length === 1;
      if (key === 'Escape' && target === document.body && isAlone) close();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [close]);
}

/**
 * True for a key pressed in a dialog that was opened from the drawer. React passes its events on to
 * the drawer, although the dialog stands elsewhere in the page.
 */
function isInsideDialog(event: React.KeyboardEvent<HTMLElement>): boolean {
  return !event.currentTarget.contains(event.target as Node);
}
