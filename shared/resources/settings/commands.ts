import { defineCommand } from '../../contracts/command.js';
import type { SettingsPatch } from '../../contracts/generated.js';
import { settingsPatch } from './schema.js';

export const updateSettings = defineCommand<SettingsPatch>({
  type: 'settings.update',
  entityType: 'settings',
  action: 'settings.updated',
  creates: false,
  schema: settingsPatch,
  permission: 'admin',
  agentScope: null,
});
