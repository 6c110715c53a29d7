import { defineCommand } from '../../contracts/command.js';
import type { TextConsentCreate } from '../../contracts/generated.js';
import { textConsentCreate } from './schema.js';

export const setTextConsent = defineCommand<TextConsentCreate>({
  type: 'text_consent.create',
  action: 'text_consent.created',
  creates: true,
  schema: textConsentCreate,
  permission: 'write',
});
