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

/** `previous` limits the rows to those of the previous day, week or month. */
export const EXPORT_PERIODS = ['all', 'previous'] as const;

/** Per account. */
export const MAX_EXPORT_SCHEDULES = 20;
