import Joi from 'joi';

/** The name of a linked record, which a list adds only if the caller asks for it. */
export function listedName(example: string): Joi.StringSchema {
  return Joi.string().allow(null).description('Only with expand=names').example(example);
}
