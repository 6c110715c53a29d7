import Joi from 'joi';

/**
 * A closed set of words. The OpenAPI document publishes it once, as a component of this name, with
 * the meaning of each word.
 * @param words in the order in which they are published
 */
export function namedEnum<Word extends string>(
  className: string,
  words: readonly Word[],
  meanings: Readonly<Record<Word, string>>,
): Joi.StringSchema {
  const explained = words.map((word) => [word, meanings[word]]);
  return Joi.string()
    .valid(...words)
    .meta({ className, meanings: Object.fromEntries(explained) });
}
