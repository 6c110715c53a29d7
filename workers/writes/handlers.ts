import { CANARY_TYPE } from '../../shared/contracts/canary.js';
import type { CommandHandler } from '../../shared/contracts/command.js';
import * as maps from './handler-maps.js';

/** Each command type with its handler. A contract test checks that each defined command has one. */
export const HANDLER_ENTRIES = Object.values(maps).flatMap(Object.entries<CommandHandler<never>>);

const handlers = new Map(HANDLER_ENTRIES);

/** Returns the handler of a command type for which {@link isKnownCommand} is true. */
export function getCommandHandler(type: string): CommandHandler<never> {
  return handlers.get(type) as CommandHandler<never>;
}

/** Whether this version can run commands of this type. */
export function isKnownCommand(type: string): boolean {
  return type === CANARY_TYPE || handlers.has(type);
}

/** Commands of another version during a rolling upgrade or rollback. They must wait, not fail. */
export class UnknownCommandError extends Error {
  constructor(types: string[]) {
    super(`no handler for the commands ${types.join(', ')}`);
    this.name = 'UnknownCommandError';
  }
}
