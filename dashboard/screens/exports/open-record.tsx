import { useUrlSearch } from '../../parts/url/use-url';
import { ExportRecord } from './files/export-record';
import { SCHEDULES } from './request/export-wording';
import { ScheduleRecord } from './schedules/schedule-record';

/** The record over the open view: an export, or a schedule. */
export function OpenRecord({ id }: { id: string }) {
  const { view } = useUrlSearch();
  return view === SCHEDULES ? <ScheduleRecord id={id} /> : <ExportRecord id={id} />;
}
