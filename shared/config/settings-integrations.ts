import Joi from 'joi';

const secret = Joi.string().min(1).max(1000);
const address = Joi.string().uri({ scheme: ['http', 'https'] });

const integrationsSchema = Joi.object().pattern(
  /^[a-z][a-z0-9_]*$/,
  Joi.object({
    client_id: secret,
    client_secret: secret,
    webhook_secret: secret,
    base_url: address,
    identity_url: address,
  }),
);

/**
 * Validates the JSON in INTEGRATIONS. Error messages contain no values, because some values are
 * secrets.
 */
export const validateIntegrationsJson: Joi.CustomValidator<string> = (text, helpers) => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return helpers.message({ custom: '"INTEGRATIONS" must be a JSON object' });
  }
  const { error } = integrationsSchema.required().validate(value, { convert: false });
  if (!error) return text;
  const place = error.details[0]?.path.join('.') || 'its top';
  return helpers.message({ custom: `"INTEGRATIONS" is not valid at ${place}` });
};

/**
 * Returns each vendor's name and settings. Returns nothing if the JSON is invalid, because the
 * schema already reports invalid JSON.
 */
export function parseIntegrations(text: string): [string, object][] {
  try {
    return Object.entries(JSON.parse(text) as Record<string, object>).map(([vendor, settings]) => [
      vendor,
      Object(settings),
    ]);
  } catch {
    return [];
  }
}
