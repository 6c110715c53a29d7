import { Button, Group, Modal, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useRef } from 'react';
import { type Problem, splitFaults } from '../../api/problem';
import { ProblemAlert } from '../feedback/problem-alert';
import { useFocusReturn } from './use-focus-return';

const COLUMNS = { display: 'flex', alignItems: 'flex-start', gap: 'var(--mantine-spacing-lg)' };
const FORM_COLUMN = { flex: '3 1 0', minWidth: 0 };
/** Stays in view while the form is scrolled, below the title of the dialog. */
const BESIDE_COLUMN = { flex: '2 1 0', minWidth: 0, position: 'sticky', top: '4rem' } as const;

/** The server's error texts by field name. */
export type FieldErrors = Readonly<Record<string, string>>;

/**
 * A dialog with a form. It stays open, with its values, until the write is stored. The server's
 * faults appear beside their fields, and all other faults above the buttons.
 * @param fields names of the fields in the API
 * @param children renders the fields, with the faults by field
 * @param beside content beside the form on a wide screen. Tab reaches it after the buttons.
 * @param settled replaces the buttons once there is nothing left to send
 * @param isLong true if a click outside must not close the dialog, because people type much into it
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
  beside,
  children,
}: {
  title: string;
  submitLabel: string;
  /** Replaces the text Cancel, for a form that itself cancels something. */
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
  beside?: ReactNode;
  children?: ReactNode | ((errors: FieldErrors) => ReactNode);
}) {
  useFocusReturn();
  const { problem, isRunning, isSaving } = write;
  const { errors, rest } = problem ? splitFaults(problem, fields) : { errors: {}, rest: undefined };
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (!problem) return;
    // Focus the first field with a fault, which may be out of sight in a long form.
    const field = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    if (field) field.focus();
    else form.current?.querySelector('[role="alert"]')?.scrollIntoView({ block: 'center' });
  }, [problem]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // React also passes the event to a form around the dialog. Stop it, so that the outer form is
    // not sent.
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
      {/* The same elements with and without `beside`, so that the form keeps what was typed. */}
      <div style={beside ? COLUMNS : undefined}>
        <form ref={form} onSubmit={submit} noValidate style={FORM_COLUMN}>
          <Stack gap="sm">
            {typeof children === 'function' ? children(errors) : children}
            {problem && rest && (
              <ProblemAlert problem={problem} {...(problem.isStale ? {} : { text: rest })} />
            )}
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
        {beside && <div style={BESIDE_COLUMN}>{beside}</div>}
      </div>
    </Modal>
  );
}
