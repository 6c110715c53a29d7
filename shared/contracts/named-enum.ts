import Joi from 'joi';

/**
 * Builds a schema that accepts only the given words. The OpenAPI document publishes the words once,
 * as a component named `className`, with the meaning of each word.
 * @param words the document lists them in this sequence
 */
export function namedEnum<Word extends string>(
  className: string,
  words: readonly Word[],
  meanings: Readonly<Record<Word, string>>,
): Joi.StringSchema {
  const entries = words.map((word) => [word, meanings[word]]);
  return Joi.string()
    .valid(...words)
    .meta({ className, meanings: Object.fromEntries(entries) });
}
