import type { CommandHandlers } from '../../contracts/command.js';
import { accrueImpoundStorage } from './accrue-handler.js';
import { createImpounds } from './create-handler.js';
import { createImpoundActionHandler } from './move-handler.js';

export const impoundHandlers: CommandHandlers = {
  'impound.create': createImpounds,
  'impound.update': createImpoundActionHandler('update'),
  'impound.hold': createImpoundActionHandler('hold'),
  'impound.unhold': createImpoundActionHandler('unhold'),
  'impound.release': createImpoundActionHandler('release'),
  'impound.accrue': accrueImpoundStorage,
};
