export const CADENCES = ['daily', 'weekly', 'monthly'] as const;

export const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;

/** Which rows a run exports: whatever the filters leave, or of these those of the day, week or month before. */
export const PERIODS = ['all', 'previous'] as const;

/** Schedules of an account. */
export const MOST_SCHEDULES = 20;
