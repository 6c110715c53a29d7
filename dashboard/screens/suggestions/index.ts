export { SuggestionRecord as Record } from './suggestion-record';
export { SuggestionsScreen as Screen } from './suggestions-screen';
