import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import type { SuggestionAccept, SuggestionDismiss } from '../../contracts/generated.js';
import type { SuggestionDraft } from './detectors/kinds.js';
import { suggestionAccept, suggestionDismiss } from './schema.js';

/** No route uses this command of the clock, so its schema checks nothing. */
export const createSuggestion = defineCommand<SuggestionDraft>({
  type: 'suggestion.create',
  entityType: 'suggestion',
  action: 'suggestion.created',
  creates: true,
  schema: Joi.object<SuggestionDraft>(),
  permission: 'admin',
  agentScope: null,
  conflictKeys: ({ detector, entity_id, occasion }) => [`suggestion:${detector}:${entity_id}:${occasion}`],
});

/** The clock submits this command when the finding no longer applies. */
export const expireSuggestion = defineCommand<{ reason: string }>({
  type: 'suggestion.expire',
  entityType: 'suggestion',
  action: 'suggestion.expired',
  creates: false,
  schema: Joi.object<{ reason: string }>(),
  permission: 'admin',
  agentScope: null,
});

export const acceptSuggestion = defineCommand<SuggestionAccept>({
  type: 'suggestion.accept',
  entityType: 'suggestion',
  action: 'suggestion.accepted',
  creates: false,
  schema: suggestionAccept,
  permission: 'write',
  agentScope: null,
});

export const dismissSuggestion = defineCommand<SuggestionDismiss>({
  type: 'suggestion.dismiss',
  entityType: 'suggestion',
  action: 'suggestion.dismissed',
  creates: false,
  schema: suggestionDismiss,
  permission: 'write',
  agentScope: null,
});
