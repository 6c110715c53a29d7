import { Radio, Stack, Textarea } from '@mantine/core';
import type { FieldErrors } from './form-dialog';

/** Asks for one of several reasons, and for a note. */
export function ReasonFields<Reason extends string>({
  words,
  reasons,
  reason,
  onReason,
  note,
  onNote,
  maxNoteChars,
  errors,
}: {
  /** What people read for each reason. */
  words: Readonly<Record<Reason, string>>;
  reasons: readonly Reason[];
  reason: Reason | '';
  onReason: (reason: Reason) => void;
  note: string;
  onNote: (note: string) => void;
  maxNoteChars: number;
  errors: FieldErrors;
}) {
  return (
    <>
      <Radio.Group
        label="Reason"
        required
        value={reason}
        error={errors.reason}
        onChange={(value) => onReason(value as Reason)}
      >
        <Stack gap="xs" mt={4}>
          {reasons.map((value) => (
            <Radio key={value} value={value} label={words[value].replaceAll('`', '')} />
          ))}
        </Stack>
      </Radio.Group>
      <Textarea
        label="Note"
        autosize
        minRows={2}
        maxLength={maxNoteChars}
        value={note}
        error={errors.note}
        onChange={(event) => onNote(event.currentTarget.value)}
      />
    </>
  );
}
