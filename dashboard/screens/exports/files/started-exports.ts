import { useLiveEvents } from '../../../api/live';
import type { EventRecord } from '../../../api/records';
import { showToast } from '../../../api/toast';
import { nameExport } from '../request/export-wording';
import type { Export } from './export-progress';

/**
 * The exports that the person started on this page. The API does not name the person who started an
 * export.
 */
const started = new Set<string>();
/**
 * Exports that have completed. A short export can complete before the response to its request
 * arrives.
 */
const completed = new Set<string>();

/** Remembers an export that the person has started, or has started again. */
export function rememberStarted(one: Export): void {
  if (completed.has(one.id)) showCompleted(one);
  else started.add(one.id);
}

/** Forgets the earlier completion of an export that is about to start again. */
export function forgetCompleted(id: string): void {
  completed.delete(id);
}

/** Shows a notification when an export that the person started is ready. */
export function useCompletedToast(): void {
  useLiveEvents(onEvent);
}

function onEvent({ type, data }: EventRecord): void {
  if (type !== 'export.completed') return;
  const one = data.object as Export;
  if (started.delete(one.id)) showCompleted(one);
  else completed.add(one.id);
}

function showCompleted(one: Export): void {
  void showToast(`${nameExport(one)} is ready. Open the export to download it.`, { title: 'Export ready' });
}
