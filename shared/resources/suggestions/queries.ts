import type { SuggestionListQuery } from '../../contracts/generated.js';
import { defineList } from '../../records/lists/define-list.js';
import { suggestionFields } from './fields.js';

export const listSuggestions = defineList<SuggestionListQuery>({
  table: 'suggestions',
  fields: suggestionFields,
  filters: ['kind', 'status', 'detector', 'entity_type', 'entity_id', 'invoice_id'],
});
