import { Button, Group, Modal, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useRef } from 'react';
import { type Problem, splitFaults } from '../../api/problem';
import { ProblemAlert } from '../feedback/problem-alert';
import { useFocusReturn } from './use-focus-return';

/** The faults that the server found, by the name of the field. */
export type FieldErrors = Readonly<Record<string, string>>;

/**
 * A dialog with a form. It stays open, filled in, until the write is stored. The server's faults
 * stand beside their fields, and the rest above the buttons.
 * @param fields names of the fields, as the API names them
 * @param children the fields; they get the faults
 * @param settled stands in place of the buttons once there is nothing left to send
 * @param isLong a click outside leaves the dialog open, because much may have been typed into it
 */
export function FormDialog({
  title,
  submitLabel,
  dismissLabel = 'Cancel',
  fields = [],
  write,
  isDangerous = false,
  canSubmit = true,
  isLong = false,
  size,
  onSubmit,
  onClose,
  settled,
  children,
}: {
  title: string;
  submitLabel: string;
  /** Another name for Cancel, where the form itself cancels something. */
  dismissLabel?: string;
  fields?: readonly string[];
  write: { problem: Problem | undefined; isRunning: boolean; isSaving: boolean };
  isDangerous?: boolean;
  canSubmit?: boolean;
  isLong?: boolean;
  size?: string;
  onSubmit: () => void;
  onClose: () => void;
  settled?: ReactNode;
  children?: ReactNode | ((errors: FieldErrors) => ReactNode);
}) {
  useFocusReturn();
  const { problem, isRunning, isSaving } = write;
  const { errors, rest } = problem ? splitFaults(problem, fields) : { errors: {}, rest: undefined };
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (!problem) return;
    // Go to the first fault, which may be out of sight in a long form.
    const field = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    if (field) field.focus();
    else form.current?.querySelector('[role="alert"]')?.scrollIntoView({ block: 'center' });
  }, [problem]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // React passes the event on to a form around the dialog, which must not be sent too.
    event.stopPropagation();
    onSubmit();
  };
  return (
    <Modal
      opened
      // Stay open while a write runs, to show its result.
      onClose={() => !isRunning && onClose()}
      title={title}
      closeOnClickOutside={!isRunning && !isLong}
      {...(size ? { size } : {})}
    >
      <form ref={form} onSubmit={submit} noValidate>
        <Stack gap="sm">
          {typeof children === 'function' ? children(errors) : children}
          {problem && rest && <ProblemAlert problem={problem} {...(problem.isStale ? {} : { text: rest })} />}
          {settled || (
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={onClose} disabled={isRunning}>
                {dismissLabel}
              </Button>
              <Button
                type="submit"
                loading={isRunning && !isSaving}
                disabled={!canSubmit || isSaving}
                {...(isDangerous ? { color: 'red' } : {})}
              >
                {isSaving ? 'Saving' : submitLabel}
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </Modal>
  );
}
