import { DRIVER_STEP } from '../../generated/vocabulary';
import { wordsOf } from '../choices/words';
import { humanize } from '../record/status-badge';

/** The steps of a driver, in their usual order. */
export const STEP_NAMES = wordsOf(DRIVER_STEP);

/** The options of a select for steps: "On scene". */
export const STEP_OPTIONS = STEP_NAMES.map((value) => ({ value, label: humanize(value) }));
