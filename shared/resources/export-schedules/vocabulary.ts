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

/** A run with `previous` exports only the rows of the previous day, week or month. */
export const EXPORT_PERIODS = ['all', 'previous'] as const;

/** An account has at most this many schedules. */
export const MAX_EXPORT_SCHEDULES = 20;
