import { Alert, Button, Stack, Text } from '@mantine/core';
import { CircleAlert } from 'lucide-react';
import type { Fault } from '../../../api/problem';
import { ChangeValue } from '../../../parts/record/change-value';
import { humanize } from '../../../parts/record/status-badge';
import { TimeAgo } from '../../../parts/values/time';
import { FIELD_LABELS } from './invoice-draft';

/**
 * Shows what a colleague has changed since the form was opened.
 * @param typed names of the members that the person has typed
 * @param isRead true once the newer version has arrived
 */
export function NewerVersion({
  faults,
  typed,
  isRead,
  onGoOn,
}: {
  faults: readonly Fault[];
  typed: readonly string[];
  isRead: boolean;
  onGoOn: () => void;
}) {
  return (
    <Alert
      role="alert"
      color="yellow"
      variant="outline"
      icon={<CircleAlert size={18} aria-hidden />}
      title="The invoice has changed since you opened this form"
    >
      <Stack gap="xs" align="flex-start">
        {faults.map((fault) => (
          <ChangedField key={fault.field} fault={fault} isTyped={typed.includes(fault.field ?? '')} />
        ))}
        <Text size="sm">Nothing of yours is saved yet, and nothing of it is lost.</Text>
        <Button size="xs" variant="default" disabled={!isRead} onClick={onGoOn}>
          Keep my changes and go on
        </Button>
      </Stack>
    </Alert>
  );
}

function ChangedField({ fault, isTyped }: { fault: Fault; isTyped: boolean }) {
  const { field = '', from, to, changed_by: by, changed_at: at } = fault;
  const label = (FIELD_LABELS as Record<string, string>)[field] ?? humanize(field.replace(/_cents$/, ''));
  return (
    <Text size="sm">
      <strong>{label}</strong>:{' '}
      {from !== null && from !== undefined && (
        <>
          <ChangeValue field={field} value={from} /> →{' '}
        </>
      )}
      <ChangeValue field={field} value={to} />
      {by && ` by ${by}`}
      {at && (
        <>
          , <TimeAgo at={at} />
        </>
      )}
      {isTyped && '. You have changed this too: saving replaces it with yours'}.
    </Text>
  );
}
