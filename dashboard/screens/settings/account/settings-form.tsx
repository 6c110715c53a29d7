import { Button, Fieldset, Group, Stack, Text } from '@mantine/core';
import { type ComponentType, type FormEvent, useState } from 'react';
import { client, ifMatch } from '../../../api/client';
import { splitFaults } from '../../../api/problem';
import type { Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { useOpenedVersion } from '../../../parts/dialogs/use-opened-version';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import {
  findChanged,
  SETTING_NAMES,
  type Settings,
  type SettingsChanges,
  type SettingsFieldsProps,
} from './settings-draft';

/**
 * Settings in one form. The form sends only the person's changes, together with the shown version.
 * If a colleague has saved a newer version, the form shows the colleague's changes and keeps the
 * person's edits.
 * @param sections the fieldsets, each with settings of its own
 */
export function SettingsForm({
  label,
  sections,
  settings,
  canChange,
}: {
  label: string;
  sections: readonly ComponentType<SettingsFieldsProps>[];
  settings: Settings;
  canChange: boolean;
}) {
  const [changes, setChanges] = useState<SettingsChanges>({});
  const { opened, onProblem } = useOpenedVersion(settings, Object.keys(changes).length > 0);
  const write = useWrite(
    (headers, body: Schemas['SettingsPatch']) =>
      client.PATCH('/settings', { params: { header: { ...headers, ...ifMatch(opened) } }, body }),
    { done: 'Settings saved', onProblem },
  );
  const changed = findChanged(opened, changes);
  const isComplete = changed.every((name) => changes[name] !== undefined);
  // Once the person has undone all changes, hide the faults of the last try.
  const problem = changed.length > 0 ? write.problem : undefined;
  const { errors, rest } = problem ? splitFaults(problem, SETTING_NAMES) : { errors: {}, rest: undefined };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const patch = Object.fromEntries(changed.map((name) => [name, changes[name]]));
    if (await write.run(patch)) setChanges({});
  };
  const fields = {
    shown: { ...opened, ...changes },
    set: (next: SettingsChanges) => setChanges((before) => ({ ...before, ...next })),
    errors,
  };
  return (
    <form onSubmit={(event) => void submit(event)} noValidate aria-label={label}>
      <Stack gap="md">
        {/* A disabled fieldset disables all its controls. */}
        <Fieldset variant="unstyled" mx={0} p={0} disabled={!canChange}>
          <Stack gap="md">
            {sections.map((Section) => (
              <Section key={Section.name} {...fields} />
            ))}
          </Stack>
        </Fieldset>
        {problem && rest && <ProblemAlert problem={problem} {...(problem.isStale ? {} : { text: rest })} />}
        {canChange && (
          <Group justify="flex-end" gap="xs">
            <Text size="sm" c="dimmed" role="status">
              {describeChanges(changed.length, isComplete)}
            </Text>
            <Button
              variant="default"
              disabled={changed.length === 0 || write.isRunning}
              onClick={() => {
                setChanges({});
                write.reset();
              }}
            >
              Discard changes
            </Button>
            <Button
              type="submit"
              loading={write.isRunning && !write.isSaving}
              disabled={changed.length === 0 || !isComplete || write.isSaving}
            >
              {write.isSaving ? 'Saving' : 'Save'}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}

function describeChanges(count: number, isComplete: boolean): string {
  if (count === 0) return '';
  if (!isComplete) return 'A field has no valid value yet.';
  return count === 1 ? '1 change is not saved.' : `${count} changes are not saved.`;
}
