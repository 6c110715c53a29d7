/**
 * The templates of texts about work orders. Each value is the standard text, which applies until
 * the account writes its own.
 */
export const DEFAULT_TEXTS = {
  assigned: '{company}: a truck is assigned to you. Follow it here: {tracking_link}',
  en_route: '{company}: your driver is on the way{eta}. Follow the truck here: {tracking_link}',
  on_scene: '{company}: your driver has arrived.',
  completed: '{company}: your tow is done. Thank you.',
  driver_link: '{company}: job {job_number}, {pickup}. Open it here: {driver_link}',
} as const;

export type TemplateKey = keyof typeof DEFAULT_TEXTS;
export const TEMPLATE_KEYS = Object.keys(DEFAULT_TEXTS) as TemplateKey[];

/** The placeholders that a text about a work order may contain in braces. */
export const JOB_PLACEHOLDERS = [
  'company',
  'first_name',
  'job_number',
  'truck',
  'driver',
  'eta',
  'pickup',
  'tracking_link',
  'driver_link',
] as const;
type Placeholder = (typeof JOB_PLACEHOLDERS)[number];

const IN_BRACES = /\{([^{}]*)\}/g;

/** Returns the names in braces that are not placeholders. */
export function listUnknownPlaceholders(text: string): string[] {
  const names = [...text.matchAll(IN_BRACES)].map(([, name]) => name as string);
  return names.filter((name) => !(JOB_PLACEHOLDERS as readonly string[]).includes(name));
}

/** Replaces the placeholders of a text by the facts of a work order. */
export function fillJobText(text: string, facts: Readonly<Record<Placeholder, string>>): string {
  return text.replace(IN_BRACES, (whole, name: string) => facts[name as Placeholder] ?? whole);
}
