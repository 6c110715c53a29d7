import { Drawer, Group, Stack } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { Loading } from '../basics/loading';
import { useFocusReturn } from '../dialogs/use-focus-return';
import { ProblemAlert } from '../feedback/problem-alert';
import { useUrl } from '../url/use-url';

/** The result of reading a record. A query of @tanstack/react-query fits this type. */
interface Reading<Data> {
  data: Data | undefined;
  error: unknown;
  isPending: boolean;
  refetch: () => unknown;
}

/**
 * The drawer of a record, over the list of its screen. Closing the drawer shows the list again.
 * @param name the drawer's title: the record's name for people, such as its number
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
  /** Called when the drawer closes. By default, closeRecord of {@link useUrl}. */
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
      // If a dialog is open over the drawer, Escape must close the dialog and not the drawer.
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
 * Closes the drawer on Escape even if no element has the focus. The focus is lost, for example,
 * when the person presses a button that then disappears. Does nothing while another dialog is open.
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
 * True if the key was pressed in a dialog that the drawer has opened. React passes such events to
 * the drawer, although the dialog is in another part of the page.
 */
function isInsideDialog(event: React.KeyboardEvent<HTMLElement>): boolean {
  return !event.currentTarget.contains(event.target as Node);
}
