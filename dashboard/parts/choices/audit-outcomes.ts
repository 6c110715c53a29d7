import { AUDIT_OUTCOME } from '../../generated/vocabulary';
import { wordsOf } from './words';

/**
 * The value of the filter `outcome` that leaves out dry runs. A dry run changed nothing, and a form
 * makes one whenever the person has typed something.
 */
export const WITHOUT_DRY_RUNS = wordsOf(AUDIT_OUTCOME)
  .filter((outcome) => outcome !== 'dry_run')
  .join(',');
