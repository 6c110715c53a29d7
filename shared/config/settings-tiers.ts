import Joi from 'joi';

const tierLimits = Joi.object({
  minute: Joi.number().integer().min(1).required(),
  hour: Joi.number().integer().min(1).required(),
});

/**
 * Validates the JSON in RATE_LIMIT_TIERS and returns the text unchanged. `loadConfig` parses it.
 */
export const validateTiersJson: Joi.CustomValidator<string> = (text, helpers) => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return helpers.message({ custom: '"RATE_LIMIT_TIERS" must be a JSON object' });
  }
  const schema = Joi.object({ starter: tierLimits, standard: tierLimits, premium: tierLimits });
  const { error } = schema.validate(value, { convert: false });
  return error ? helpers.message({ custom: `"RATE_LIMIT_TIERS": ${error.message}` }) : text;
};
