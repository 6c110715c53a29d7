import { Text, Textarea } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Problem } from '../../api/problem';
import { FormDialog } from './form-dialog';

/**
 * Asks for confirmation before a write that is hard to undo. Also describes the effect of the
 * write.
 * @param verb the text of the button, such as "Void"
 * @param reason asks for a reason; `field` is its name in the API
 */
export function ConfirmDialog({
  title,
  verb,
  dismissLabel = 'Cancel',
  effect,
  write,
  isDangerous = true,
  reason,
  onConfirm,
  onClose,
}: {
  title: string;
  verb: string;
  /** Replaces the text Cancel, for a write that itself cancels something. */
  dismissLabel?: string;
  effect: ReactNode;
  write: { problem: Problem | undefined; isRunning: boolean; isSaving: boolean };
  isDangerous?: boolean;
  reason?: { label: string; field: string; isRequired: boolean };
  onConfirm: (reason: string) => void;
  onClose: () => void;
}) {
  const [text, setText] = useState('');
  return (
    <FormDialog
      title={title}
      submitLabel={verb}
      dismissLabel={dismissLabel}
      write={write}
      isDangerous={isDangerous}
      fields={reason ? [reason.field] : []}
      canSubmit={!reason?.isRequired || text.trim() !== ''}
      onSubmit={() => onConfirm(text.trim())}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Text component="div">{effect}</Text>
          {reason && (
            <Textarea
              data-autofocus
              label={reason.label}
              required={reason.isRequired}
              autosize
              minRows={2}
              value={text}
              error={errors[reason.field]}
              onChange={(event) => setText(event.currentTarget.value)}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}
