import Joi from 'joi';
import { cursor, limit } from '../../shared/contracts/schemas/fields.js';

/**
 * Builds the schema of the argument `limit`. Refuses a number in quotes. REST accepts such a
 * number, because a URL contains only text.
 */
export function pageSize(max: number): Joi.NumberSchema {
  return limit(max).strict().description('Items per page; ask for few, 10 to 20 answer most questions');
}

export function pageCursor(): Joi.StringSchema {
  return cursor().description(
    '`cursor` of the page before, with the same filters; leave it out for the first page',
  );
}

/**
 * The arguments that every write tool has in addition to its own (docs/decisions.md §5,
 * Idempotency).
 */
export const WRITE_ARGUMENTS = {
  idempotency_key: Joi.string()
    .guid()
    .description('A UUID of your own for this action; send the SAME one when you retry it'),
  dry_run: Joi.boolean().strict().description('true: check and preview, store nothing'),
};
