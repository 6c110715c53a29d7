/**
 * Error messages by Joi error type. `validate` sets them once, on the outermost schema. If each
 * field's schema had them, Joi would merge preferences for every value. That took a third of the
 * time to validate an invoice (measured).
 */
export const VALIDATION_MESSAGES: Readonly<Record<string, string>> = {
  'string.pattern.name': '{{#label}} must {{#name}}',
  'string.dateTime': '{{#label}} must be {{#form}}',
  'string.outOfPeriod': '{{#label}} must be {{#period}}',
  'string.uriCustomScheme': '{{#label}} must be a URL of the scheme {{#scheme}}',
  'string.placeholder': '{{#label}} names {{#unknown}}. In braces it may name only {{#known}}',
  'string.timeZone': '{{#label}} must be an IANA time zone, such as America/New_York',
  'string.beforeSince': '{{#label}} must not be before since',
  'string.eventType': '{{#label}} does not match any event type',
  'object.repeated': '{{#label}} has {{#name}} twice; upper and lower case count as equal',
  'array.readOnly': '{{#label}} of a read-only key must all begin with read_; remove {{#writing}}',
  'string.vin': '{{#label}} of 17 characters must not contain I, O or Q',
  'any.notForStorage': '{{#label}} is not allowed for storage by the day',
  'number.decimals': '{{#label}} must have at most {{#limit}} decimals',
  'number.negativePrice': '{{#label}} may be negative only in the categories {{#categories}}',
  'number.line_total_mismatch':
    '{{#label}} must be quantity × unit_price_cents, rounded half away from zero: {{#expected}}',
};
