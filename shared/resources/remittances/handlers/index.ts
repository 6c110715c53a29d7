import type { CommandHandlers } from '../../../contracts/command.js';
import { applyRemittances } from './apply-handler.js';
import { createRemittances } from './create-handler.js';
import { deleteRemittances } from './delete-handler.js';
import { updateRemittanceLines } from './line-handler.js';

export const remittanceHandlers: CommandHandlers = {
  'remittance.create': createRemittances,
  'remittance.apply': applyRemittances,
  'remittance.delete': deleteRemittances,
  'remittance_line.update': updateRemittanceLines,
};
