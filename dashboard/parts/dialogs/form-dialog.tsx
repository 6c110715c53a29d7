import { Button, Group, Modal, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { type Problem, splitFaults } from '../../api/problem';
import { ProblemAlert } from '../problem-alert';

/** The faults that the server found, by the name of the field. */
export type FieldErrors = Readonly<Record<string, string>>;

/**
 * A dialog with a form. It stays open, filled in, until the write is stored. The server's faults stand
 * beside their fields, and the rest above the buttons.
 * @param fields names of the fields, as the API names them
 * @param children the fields; they get the faults
 */
export function FormDialog({
  title,
  submitLabel,
  fields = [],
  write,
  isDangerous = false,
  canSubmit = true,
  size,
  onSubmit,
  onClose,
  children,
}: {
  title: string;
  submitLabel: string;
  fields?: readonly string[];
  write: { problem: Problem | undefined; isRunning: boolean; isSaving: boolean };
  isDangerous?: boolean;
  canSubmit?: boolean;
  size?: string;
  onSubmit: () => void;
  onClose: () => void;
  children?: ReactNode | ((errors: FieldErrors) => ReactNode);
}) {
  const { problem, isRunning, isSaving } = write;
  const { errors, rest } = problem ? splitFaults(problem, fields) : { errors: {}, rest: undefined };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // React passes the event on to a form around the dialog, which must not be sent too.
    event.stopPropagation();
    onSubmit();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      closeOnClickOutside={!isRunning}
      {...(size ? { size } : {})}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          {typeof children === 'function' ? children(errors) : children}
          {problem && rest && <ProblemAlert problem={problem} {...(problem.isStale ? {} : { text: rest })} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose} disabled={isRunning}>
              Cancel
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
        </Stack>
      </form>
    </Modal>
  );
}
