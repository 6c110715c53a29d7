import type { CommandHandler } from '../../shared/contracts/command.js';
import * as maps from './handler-maps.js';

/** Each command type with its handler. A contract test checks that each defined command has one. */
export const HANDLER_ENTRIES = Object.values(maps).flatMap(Object.entries<CommandHandler<never>>);

const handlers = new Map(HANDLER_ENTRIES);

/**
 * Returns the handler of a command type.
 * @throws {UnknownCommandError} when this version has no handler: the job is retried until a newer
 * worker runs it
 */
export function getCommandHandler(type: string): CommandHandler<never> {
  const handler = handlers.get(type);
  if (!handler) throw new UnknownCommandError(type);
  return handler;
}

/** A command of another version during a rolling update or rollback. It must wait, not fail. */
export class UnknownCommandError extends Error {
  constructor(type: string) {
    super(`no handler for the command ${type}`);
    this.name = 'UnknownCommandError';
  }
}
