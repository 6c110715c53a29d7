import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import type { Schemas } from '../../../api/records';
import type { FieldErrors } from '../../../parts/dialogs/form-dialog';
import { withChosen } from '../../../parts/record/word-options';

export type Evidence = Schemas['EvidenceInput'];

const KINDS = ['photo', 'document', 'note'];
const MAX_EVIDENCE = 50;

/** The evidence of a claim: links to photos and documents on the web. */
export function EvidenceFields({
  evidence,
  errors,
  onEvidence,
}: {
  evidence: readonly Evidence[];
  errors: FieldErrors;
  onEvidence: (evidence: Evidence[]) => void;
}) {
  const [added, setAdded] = useState<number>();
  const addButton = useRef<HTMLButtonElement>(null);
  const add = () => {
    setAdded(evidence.length);
    onEvidence([...evidence, { kind: 'photo', url: '', note: null }]);
  };
  const remove = (index: number) => {
    setAdded(undefined);
    onEvidence(evidence.filter((_, place) => place !== index));
    // At the maximum number, the button is still disabled.
    requestAnimationFrame(() => addButton.current?.focus());
  };
  const edit = (index: number, patch: Partial<Evidence>) =>
    onEvidence(evidence.map((piece, place) => (place === index ? { ...piece, ...patch } : piece)));
  return (
    <Stack gap="sm">
      {evidence.map(({ kind, url, note }, index) => (
        <Stack
          // biome-ignore lint/suspicious/noArrayIndexKey: a piece of evidence has no id
          key={index}
          role="group"
          aria-label={`Evidence ${index + 1}`}
          gap="xs"
        >
          <Group align="flex-start" gap="xs" wrap="wrap">
            <NativeSelect
              label="Kind"
              data={withChosen(KINDS, kind)}
              value={kind}
              error={errors[`evidence[${index}].kind`]}
              onChange={(event) => edit(index, { kind: event.currentTarget.value })}
            />
            <TextInput
              label="Link"
              autoFocus={index === added}
              required
              type="url"
              placeholder="https://"
              flex="1 1 14rem"
              value={url}
              error={errors[`evidence[${index}].url`]}
              onChange={(event) => edit(index, { url: event.currentTarget.value })}
            />
            <TextInput
              label="Note"
              maxLength={500}
              flex="1 1 10rem"
              value={note ?? ''}
              error={errors[`evidence[${index}].note`]}
              onChange={(event) => edit(index, { note: event.currentTarget.value || null })}
            />
          </Group>
          <Group>
            <Button size="compact-sm" variant="default" onClick={() => remove(index)}>
              {`Remove evidence ${index + 1}`}
            </Button>
          </Group>
        </Stack>
      ))}
      {errors.evidence && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {errors.evidence}
        </Text>
      )}
      <Group>
        <Button
          ref={addButton}
          size="xs"
          disabled={evidence.length >= MAX_EVIDENCE}
          variant="default"
          onClick={add}
        >
          Add evidence
        </Button>
      </Group>
    </Stack>
  );
}
