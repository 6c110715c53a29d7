import { Button, Group, Stack, Switch, Text, Textarea, Title } from '@mantine/core';
import { useState } from 'react';
import { api, client } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useCan } from '../../../api/session';
import { useWrite } from '../../../api/use-write';
import { Loading } from '../../../parts/basics/loading';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { RecordTable } from '../../../parts/record/record-table';
import { humanize } from '../../../parts/record/status-badge';

type Template = Schemas['MessageTemplate'];

const PLACEHOLDERS =
  '{company}, {first_name}, {job_number}, {truck}, {driver}, {eta}, {pickup}, {tracking_link}, {driver_link}';

/** The texts about jobs. The account can switch each text on and change its words. */
export function JobTexts() {
  const [edited, setEdited] = useState<Template>();
  const canChange = useCan('admin');
  const { data, error, isPending, refetch } = api.useQuery('get', '/message-templates');
  if (isPending) return <Loading label="Loading the texts about jobs" rows={4} />;
  if (!data) return <ProblemAlert problem={error} onRetry={() => void refetch()} />;
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        Texts about jobs
      </Title>
      <Text size="sm" c="dimmed" maw={720}>
        They leave through the connected vendor of texts, to the contact of the job or to its driver. A number
        that answers STOP gets no more.
      </Text>
      <RecordTable
        label="Texts about jobs"
        rows={data.data.items}
        rowKey={({ key }) => key}
        empty=""
        columns={[
          { header: 'When', render: ({ key }) => humanize(key) },
          { header: 'Text', render: ({ text }) => text },
          { header: 'Sent', render: ({ enabled }) => (enabled ? 'Yes' : 'No') },
          {
            header: 'Action',
            render: (template) =>
              canChange ? (
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={`Edit ${humanize(template.key)}`}
                  onClick={() => setEdited(template)}
                >
                  Edit
                </Button>
              ) : (
                '–'
              ),
          },
        ]}
      />
      {edited && <TemplateDialog template={edited} onClose={() => setEdited(undefined)} />}
    </Stack>
  );
}

function TemplateDialog({ template, onClose }: { template: Template; onClose: () => void }) {
  const [text, setText] = useState(template.text);
  const [enabled, setEnabled] = useState(template.enabled);
  const write = useWrite(
    (header, body: Schemas['MessageTemplatePatch']) =>
      client.PATCH('/message-templates/{key}', { params: { path: { key: template.key }, header }, body }),
    { done: 'The text is changed' },
  );
  const submit = async () => {
    if (await write.run({ text, enabled })) onClose();
  };
  return (
    <FormDialog
      title={`Text: ${humanize(template.key)}`}
      submitLabel="Save"
      fields={['text', 'enabled']}
      write={write}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Textarea
            data-autofocus
            label="Text"
            description={`May contain ${PLACEHOLDERS}`}
            autosize
            minRows={3}
            maxLength={640}
            value={text}
            error={errors.text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Group>
            <Switch
              label="Send this text"
              checked={enabled}
              onChange={(event) => setEnabled(event.currentTarget.checked)}
            />
          </Group>
        </>
      )}
    </FormDialog>
  );
}
