import { NumberInput, SimpleGrid } from '@mantine/core';
import type { Schemas } from '../../../api/records';
import { useTimeZone } from '../../../api/session';
import { Select } from '../../../parts/choices/select';
import type { FieldErrors } from '../../../parts/dialogs/form-dialog';
import { humanize } from '../../../parts/record/status-badge';
import { hasRange } from '../request/export-filters';
import type { RequestDraft } from '../request/request-draft';
import { describePeriod, formatHour, type Schedule, WEEKDAYS } from './schedule-wording';

export type ScheduleDraft = RequestDraft & Pick<Schedule, 'cadence' | 'hour' | 'weekday' | 'day' | 'period'>;

export const SCHEDULE_FIELDS = ['cadence', 'hour', 'weekday', 'day', 'period'];

const CADENCES = ['daily', 'weekly', 'monthly'] as const satisfies readonly Schemas['ExportCadence'][];
const HOURS = Array.from({ length: 24 }, (_, hour) => ({ value: String(hour), label: formatHour(hour) }));

/** The fields for the times of a schedule's exports, and for the period that each export covers. */
export function ScheduleFields({
  draft,
  onDraft,
  errors,
}: {
  draft: ScheduleDraft;
  onDraft: (draft: ScheduleDraft) => void;
  errors: FieldErrors;
}) {
  const timeZone = useTimeZone();
  const set = (patch: Partial<ScheduleDraft>) => onDraft({ ...draft, ...patch });
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      <Select
        label="Repeats"
        allowDeselect={false}
        data={CADENCES.map((value) => ({ value, label: humanize(value) }))}
        value={draft.cadence}
        error={errors.cadence}
        onChange={(value) => value && onDraft(changeCadence(draft, value as Schedule['cadence']))}
      />
      {draft.cadence === 'weekly' && (
        <Select
          label="Weekday"
          allowDeselect={false}
          data={WEEKDAYS.map((value) => ({ value, label: humanize(value) }))}
          value={draft.weekday}
          error={errors.weekday}
          onChange={(value) => value && set({ weekday: value as Schedule['weekday'] })}
        />
      )}
      {draft.cadence === 'monthly' && (
        <NumberInput
          label="Day of the month"
          description="A shorter month runs on its last day"
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          min={1}
          max={31}
          allowDecimal={false}
          value={draft.day ?? ''}
          error={errors.day}
          onChange={(value) => set({ day: value === '' ? null : Number(value) })}
        />
      )}
      <Select
        label="Hour"
        description={`Time zone ${timeZone}`}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        allowDeselect={false}
        data={HOURS}
        value={String(draft.hour)}
        error={errors.hour}
        onChange={(value) => value && set({ hour: Number(value) })}
      />
      {hasRange(draft.resource) && (
        <Select
          label="Period"
          allowDeselect={false}
          data={[
            { value: 'previous', label: describePeriod({ ...draft, period: 'previous' }) ?? '' },
            { value: 'all', label: 'All rows that match' },
          ]}
          value={draft.period}
          error={errors.period}
          onChange={(value) => value && onDraft(changePeriod(draft, value as Schedule['period']))}
        />
      )}
    </SimpleGrid>
  );
}

function changeCadence(draft: ScheduleDraft, cadence: Schedule['cadence']): ScheduleDraft {
  return {
    ...draft,
    cadence,
    weekday: cadence === 'weekly' ? 'monday' : null,
    day: cadence === 'monthly' ? 1 : null,
  };
}

/**
 * Changes the period. The period `previous` is itself a date range, so it replaces the date range
 * of the filters.
 */
function changePeriod(draft: ScheduleDraft, period: Schedule['period']): ScheduleDraft {
  if (period === 'all') return { ...draft, period };
  const { since: _since, until: _until, ...filters } = draft.filters;
  return { ...draft, period, filters };
}

/** Changes the period to `all` if the resource has no dates that could limit it. */
export function fitPeriod(draft: ScheduleDraft): ScheduleDraft {
  return { ...draft, period: hasRange(draft.resource) ? draft.period : 'all' };
}
