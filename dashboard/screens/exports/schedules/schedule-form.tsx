import { client, ifMatch } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { findTyped, useEdits } from '../../../parts/dialogs/use-edits';
import { useOpenedVersion } from '../../../parts/dialogs/use-opened-version';
import { useUrl } from '../../../parts/url/use-url';
import { EMPTY_REQUEST, REQUEST_FIELDS, readRequest } from '../request/request-draft';
import { RequestFields } from '../request/request-fields';
import { fitPeriod, SCHEDULE_FIELDS, type ScheduleDraft, ScheduleFields } from './schedule-fields';
import { nameSchedule, type Schedule } from './schedule-wording';

const FIELDS = [...REQUEST_FIELDS, ...SCHEDULE_FIELDS];

const EMPTY: ScheduleDraft = {
  ...EMPTY_REQUEST,
  cadence: 'daily',
  hour: 4,
  weekday: null,
  day: null,
  period: 'previous',
};

export function NewSchedule({ onClose }: { onClose: () => void }) {
  const { openRecord } = useUrl();
  const write = useWrite(
    (headers, body: Schemas['ExportScheduleCreate']) =>
      client.POST('/export-schedules', { params: { header: headers }, body }),
    { done: 'Schedule created' },
  );
  return (
    <ScheduleDialog
      title="New schedule"
      submitLabel="Create schedule"
      initial={EMPTY}
      write={write}
      onSubmit={async (draft) => {
        const created = await write.run(draft);
        if (!created) return;
        onClose();
        openRecord(created.id);
      }}
      onClose={onClose}
    />
  );
}

/**
 * Sends the whole schedule, because its members depend on each other. If a newer version exists,
 * the API refuses the write.
 */
export function EditSchedule({ schedule, onClose }: { schedule: Schedule; onClose: () => void }) {
  const { opened, onProblem } = useOpenedVersion(schedule);
  const write = useWrite(
    (headers, body: Schemas['ExportSchedulePatch']) =>
      client.PATCH('/export-schedules/{id}', {
        params: { path: { id: schedule.id }, header: { ...headers, ...ifMatch(opened) } },
        body,
      }),
    { done: 'Schedule saved', onProblem },
  );
  const { cadence, hour, weekday, day, period } = opened;
  return (
    <ScheduleDialog
      title={`Edit ${nameSchedule(schedule)}`}
      submitLabel="Save"
      initial={{ ...readRequest(opened), cadence, hour, weekday, day, period }}
      write={write}
      onSubmit={async (draft) => {
        if (await write.run(draft)) onClose();
      }}
      onClose={onClose}
    />
  );
}

function ScheduleDialog({
  initial,
  onSubmit,
  ...dialog
}: {
  title: string;
  submitLabel: string;
  initial: ScheduleDraft;
  write: Parameters<typeof FormDialog>[0]['write'];
  onSubmit: (draft: ScheduleDraft) => Promise<void>;
  onClose: () => void;
}) {
  // Keep only the person's changes, so that a newer version keeps a colleague's changes.
  const { draft, edit } = useEdits(initial);
  const setDraft = (next: ScheduleDraft) => edit(findTyped(next, draft));
  return (
    <FormDialog {...dialog} fields={FIELDS} size="lg" isLong onSubmit={() => void onSubmit(draft)}>
      {(errors) => (
        <>
          <ScheduleFields draft={draft} onDraft={setDraft} errors={errors} />
          <RequestFields
            draft={draft}
            onDraft={(request) => setDraft(fitPeriod({ ...draft, ...request }))}
            errors={errors}
            withRange={draft.period === 'all'}
          />
        </>
      )}
    </FormDialog>
  );
}
