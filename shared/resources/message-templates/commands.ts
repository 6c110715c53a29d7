import { defineCommand } from '../../contracts/command.js';
import type { MessageTemplatePatch } from '../../contracts/generated.js';
import { messageTemplatePatch } from './schema.js';
import type { TemplateKey } from './vocabulary.js';

/** The change of a template, with the key from the path. */
export type TemplateChange = MessageTemplatePatch & { key?: TemplateKey };

export const updateMessageTemplate = defineCommand<TemplateChange>({
  type: 'message_template.update',
  action: 'message_template.updated',
  schema: messageTemplatePatch,
  permission: 'admin',
});
