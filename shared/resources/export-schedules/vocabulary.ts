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

/** The rows that a run exports: all rows, or only those of the previous day, week or month. */
export const EXPORT_PERIODS = ['all', 'previous'] as const;

/** Maximum number of schedules per account. */
export const MAX_EXPORT_SCHEDULES = 20;
