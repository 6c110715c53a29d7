import { useUrlSearch } from '../../parts/url/use-url';
import { ExportRecord } from './files/export-record';
import { SCHEDULES } from './request/export-wording';
import { ScheduleRecord } from './schedules/schedule-record';

/** The open record of the current view: an export or a schedule. */
export function OpenRecord({ id }: { id: string }) {
  const { view } = useUrlSearch();
  return view === SCHEDULES ? <ScheduleRecord id={id} /> : <ExportRecord id={id} />;
}
