import { namedEnum } from '../../contracts/named-enum.js';
import { SUGGESTION_ENTITIES, SUGGESTION_KINDS, SUGGESTION_STATUSES } from './detectors/kinds.js';

export const suggestionKind = namedEnum('SuggestionKind', SUGGESTION_KINDS, {
  missed_fee: 'A fee was not billed, or not in full: comparable jobs, positions or an impound show it',
  denial: 'A motor club denied a claim, and no automatic rebill applies',
  anomaly:
    'An amount, distance or time is unusual, more was billed than driven or than a customer covers, or a record looks like a duplicate',
});

export const suggestionStatus = namedEnum('SuggestionStatus', SUGGESTION_STATUSES, {
  open: 'Waits for a decision',
  accepted: 'Accepted by a person or an API key',
  dismissed: 'Dismissed by a person or an API key',
  expired: 'Its invoice is paid, void or cancelled, or the finding no longer applies',
});

export const suggestionEntity = namedEnum('SuggestionEntity', SUGGESTION_ENTITIES, {
  invoice: 'An invoice',
  work_order: 'A work order',
  claim: 'A motor-club claim',
});
