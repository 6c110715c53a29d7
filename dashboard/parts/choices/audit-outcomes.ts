import { AUDIT_OUTCOME } from '../../generated/vocabulary';
import { wordsOf } from './words';

/**
 * The value of the filter `outcome` that excludes dry runs. Forms send many dry runs while a person
 * types, and these change nothing.
 */
export const WITHOUT_DRY_RUNS = wordsOf(AUDIT_OUTCOME)
  .filter((outcome) => outcome !== 'dry_run')
  .join(',');
