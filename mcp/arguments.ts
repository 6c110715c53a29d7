import { unknownFields, validate } from '../shared/contracts/validate.js';
import { AppError } from '../shared/platform/errors.js';
import type { Tool } from './tools/tool.js';

/** Unknown arguments that are told of at once. */
const MAX_TOLD = 20;

/** Unlike REST, what nobody knows is refused: a model that is told of its mistake mends it. @throws {AppError} 400 with every fault */
export function checkArguments<Input>(
  { input, name }: Pick<Tool, 'input' | 'name'>,
  args: Record<string, unknown>,
): Input {
  const checked = validate<Input>(input, args);
  const unknown = unknownFields(args, checked);
  if (unknown.length === 0) return checked;
  const details = unknown.slice(0, MAX_TOLD).map((field) => ({
    field,
    code: 'unknown',
    message: `${name} takes no ${field}`,
  }));
  throw new AppError('validation_error', `${details[0]?.message}.`, { details });
}
