/** The placeholders that an account's own texts may contain in braces, such as `{balance}`. */
export const PLACEHOLDERS = ['company', 'invoice_number', 'balance', 'due_date', 'link'] as const;
/** Matches texts whose braces contain only placeholders. */
export const KNOWN_PLACEHOLDERS_ONLY = /^(?:[^{}]|\{(?:company|invoice_number|balance|due_date|link)\})*$/;
/** Matches texts whose braces contain only placeholders, and that contain `{link}`. */
export const WITH_LINK =
  /^(?:[^{}]|\{(?:company|invoice_number|balance|due_date)\})*\{link\}(?:[^{}]|\{(?:company|invoice_number|balance|due_date|link)\})*$/;

type Placeholder = (typeof PLACEHOLDERS)[number];

const IN_BRACES = /\{([^{}]*)\}/g;

/** Replaces the placeholders of a text by the facts of an invoice. */
export function fillPlaceholders(text: string, facts: Readonly<Record<Placeholder, string>>): string {
  return text.replace(IN_BRACES, (whole, name: string) => facts[name as Placeholder] ?? whole);
}
