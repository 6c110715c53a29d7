export const EXPORT_CADENCES = ['daily', 'weekly', 'monthly'] as const;

export const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;

/**
 * Which rows a run exports: all that match the filters, or only those of the previous day, week or
 * month.
 */
export const EXPORT_PERIODS = ['all', 'previous'] as const;

/** Maximum number of schedules of an account. */
export const MAX_EXPORT_SCHEDULES = 20;
