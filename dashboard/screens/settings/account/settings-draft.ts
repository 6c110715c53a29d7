import type { Schemas } from '../../../api/records';

export type Settings = Schemas['Settings'];

/** The changed settings. Undefined means that the text of the field is not a valid value yet. */
export type SettingsChanges = {
  [Name in keyof Schemas['SettingsPatch']]?: Schemas['SettingsPatch'][Name] | undefined;
};

/** The settings in the form: the stored settings with the person's changes. */
export type ShownSettings = Omit<Settings, keyof SettingsChanges> & Required<SettingsChanges>;

/** The API's names of the settings that a form can change. */
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
  'driver_payments',
] as const satisfies readonly (keyof Schemas['SettingsPatch'])[];

export type SettingName = (typeof SETTING_NAMES)[number];

/** The properties that all fieldsets of the form have. */
export interface SettingsFieldsProps {
  shown: ShownSettings;
  set: (changes: SettingsChanges) => void;
  errors: Readonly<Record<string, string>>;
}

/** Returns the names of the settings that differ from the stored settings. */
export function findChanged(settings: Settings, changes: SettingsChanges): SettingName[] {
  return SETTING_NAMES.filter((name) => name in changes && changes[name] !== settings[name]);
}
