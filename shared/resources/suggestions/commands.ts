import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import type { SuggestionAccept, SuggestionDismiss } from '../../contracts/generated.js';
import type { SuggestionDraft } from './kinds.js';
import { suggestionAccept, suggestionDismiss } from './schema.js';

/** The clock's: what a detector found. No route leads here, so the body needs no check of its own. */
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

/** The clock's: it is no longer so. */
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
