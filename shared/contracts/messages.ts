/**
 * What our own checks say, by Joi's error type. They are given once, with the outermost schema: messages on a single field make Joi merge its
 * preferences anew for every value of it, a third of what validating an invoice cost (measured).
 */
export const MESSAGES: Readonly<Record<string, string>> = {
  'string.pattern.name': '{{#label}} must {{#name}}',
  'string.dateTime': '{{#label}} must be {{#form}}',
  'string.uriCustomScheme': '{{#label}} must be a URL of the scheme {{#scheme}}',
  'string.timeZone': '{{#label}} must be an IANA time zone, such as America/New_York',
  'string.beforeSince': '{{#label}} must not be before since',
  'string.eventType': '{{#label}} matches no type of event that there is',
  'object.repeated': '{{#label}} has {{#name}} twice; case makes no difference',
  'array.readOnly': '{{#label}} of a read-only key must all begin with read_, unlike {{#writing}}',
  'string.vin': '{{#label}} of 17 characters must not contain I, O or Q',
  'any.notForStorage': '{{#label}} is not for storage by the day',
  'number.decimals': '{{#label}} must have at most {{#limit}} decimals',
  'number.negativePrice': '{{#label}} may be negative only in the categories {{#categories}}',
  'number.line_total_mismatch':
    '{{#label}} must be quantity × unit_price_cents, rounded half away from zero: {{#expected}}',
};
