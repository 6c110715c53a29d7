import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import type { SettingsPatch } from '../../contracts/generated.js';
import { LOGO_TYPES, type LogoImage, MAX_LOGO_BYTES } from '../../documents/logo-image.js';
import { settingsPatch } from './schema.js';

export const updateSettings = defineCommand<SettingsPatch>({
  type: 'settings.update',
  action: 'settings.updated',
  schema: settingsPatch,
  permission: 'admin',
});

/** A logo, with its picture in base64, because a command travels as JSON. */
export type LogoInput = Omit<LogoImage, 'data'> & { data: string };

export const setLogo = defineCommand<LogoInput>({
  type: 'settings.set_logo',
  action: 'settings.logo_changed',
  schema: Joi.object({
    content_type: Joi.string()
      .valid(...LOGO_TYPES)
      .required(),
    width: Joi.number().integer().required(),
    height: Joi.number().integer().required(),
    sha256: Joi.string().hex().length(64).required(),
    data: Joi.string()
      .base64()
      .max(Math.ceil(MAX_LOGO_BYTES / 3) * 4)
      .required(),
  }),
  permission: 'admin',
});

export const removeLogo = defineCommand<Record<string, never>>({
  type: 'settings.remove_logo',
  action: 'settings.logo_removed',
  schema: Joi.object({}),
  permission: 'admin',
});
