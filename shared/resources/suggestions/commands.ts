import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import type { SuggestionAccept, SuggestionDismiss } from '../../contracts/generated.js';
import type { SuggestionDraft } from './detectors/kinds.js';
import { suggestionAccept, suggestionDismiss } from './schema.js';

/**
 * Only the clock submits this command. No route accepts it from a client, so its schema checks
 * nothing.
 */
export const createSuggestion = defineCommand<SuggestionDraft>({
  type: 'suggestion.create',
  action: 'suggestion.created',
  creates: true,
  schema: Joi.object<SuggestionDraft>(),
  permission: 'admin',
  conflictKeys: ({ detector, entity_id, occasion }) => [`suggestion:${detector}:${entity_id}:${occasion}`],
});

/** The clock submits this command when the finding no longer applies or the invoice is closed. */
export const expireSuggestion = defineCommand<{ reason: string }>({
  type: 'suggestion.expire',
  action: 'suggestion.expired',
  schema: Joi.object<{ reason: string }>(),
  permission: 'admin',
});

export const acceptSuggestion = defineCommand<SuggestionAccept>({
  type: 'suggestion.accept',
  action: 'suggestion.accepted',
  schema: suggestionAccept,
  permission: 'write',
});

export const dismissSuggestion = defineCommand<SuggestionDismiss>({
  type: 'suggestion.dismiss',
  action: 'suggestion.dismissed',
  schema: suggestionDismiss,
  permission: 'write',
});
