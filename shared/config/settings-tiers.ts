import Joi from 'joi';

const tierLimits = Joi.object({
  minute: Joi.number().integer().min(1).required(),
  hour: Joi.number().integer().min(1).required(),
});

/**
 * Builds a validator for a setting that contains JSON. The validator returns the text unchanged,
 * and `loadConfig` parses the text later.
 */
function validateJson(name: string, schema: Joi.Schema): Joi.CustomValidator<string> {
  return (text, helpers) => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return helpers.message({ custom: `"${name}" must be a JSON object` });
    }
    const { error } = schema.validate(value, { convert: false });
    return error ? helpers.message({ custom: `"${name}": ${error.message}` }) : text;
  };
}

export const validateTiersJson = validateJson(
  'RATE_LIMIT_TIERS',
  Joi.object({ starter: tierLimits, standard: tierLimits, premium: tierLimits }),
);
export const validatePeopleJson = validateJson('RATE_LIMIT_PEOPLE', tierLimits);
