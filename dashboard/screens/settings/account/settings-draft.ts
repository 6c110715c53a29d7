import type { Schemas } from '../../../api/records';

export type Settings = Schemas['Settings'];

/** A changed setting. Undefined stands for a field whose text is no valid value yet. */
export type SettingsChanges = {
  [Name in keyof Schemas['SettingsPatch']]?: Schemas['SettingsPatch'][Name] | undefined;
};

/** The settings as the form shows them. */
export type ShownSettings = Omit<Settings, keyof SettingsChanges> & Required<SettingsChanges>;

/** The settings that a form can change, as the API names them. */
export const SETTING_NAMES = [
  'business_name',
  'address',
  'city',
  'state',
  'zip',
  'phone',
  'email',
  'remittance_text',
  'mail_subject',
  'mail_text',
  'sms_text',
  'time_zone',
  'terms_days',
  'grace_days',
  'tax_rate_bps',
  'agent_gate_cents',
  'agent_day_cents',
] as const satisfies readonly (keyof Schemas['SettingsPatch'])[];

export type SettingName = (typeof SETTING_NAMES)[number];

/** What the fieldsets of the form share. */
export interface SettingsFieldsProps {
  shown: ShownSettings;
  set: (changes: SettingsChanges) => void;
  errors: Readonly<Record<string, string>>;
}

/** Returns the names of the settings that differ from the stored ones. */
export function findChanged(settings: Settings, changes: SettingsChanges): SettingName[] {
  return SETTING_NAMES.filter((name) => name in changes && changes[name] !== settings[name]);
}
