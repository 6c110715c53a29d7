import Joi from 'joi';
import { cursor, limit, uuid } from '../../contracts/schemas/fields.js';
import { terminalReaderFields } from './fields.js';
import { terminalReaderStatus } from './vocabulary.js';

export { terminalReaderStatus };

export const terminalReader = terminalReaderFields.response.meta({ className: 'TerminalReader' });

export const terminalReaderListQuery = Joi.object({
  connection_id: uuid(),
  status: terminalReaderStatus.description('Default: all readers that are not removed'),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'TerminalReaderListQuery' });
