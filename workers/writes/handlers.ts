import { CANARY_TYPE } from '../../shared/contracts/canary.js';
import type { CommandHandler } from '../../shared/contracts/command.js';
import * as maps from './handler-maps.js';

/**
 * The command types, each with its handler. A contract test checks that every command has a
 * handler.
 */
export const HANDLER_ENTRIES = Object.values(maps).flatMap(Object.entries<CommandHandler<never>>);

const handlers = new Map(HANDLER_ENTRIES);

/** Returns the handler of a command type. Must be called only if {@link isKnownCommand} is true. */
export function getCommandHandler(type: string): CommandHandler<never> {
  return handlers.get(type) as CommandHandler<never>;
}

/** Returns whether this version can run commands of this type. */
export function isKnownCommand(type: string): boolean {
  return type === CANARY_TYPE || handlers.has(type);
}

/**
 * Thrown during a rolling upgrade or rollback, for commands that only another version can run. The
 * queue then retries the job, so the commands wait and do not fail.
 */
export class UnknownCommandError extends Error {
  constructor(types: string[]) {
    super(`no handler for the commands ${types.join(', ')}`);
    this.name = 'UnknownCommandError';
  }
}
