import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';

/** A payments vendor's report about one card reader. */
export interface ReaderReport {
  external_id: string;
  label: string;
  device_type: string | null;
  status: 'online' | 'offline' | 'removed';
  /** RFC 3339: the time at which the worker read the card reader at the vendor. */
  observed_at: string;
}

/** Records a card reader as its vendor reports it. The integrations worker submits this command. */
export const recordTerminalReader = defineCommand<ReaderReport>({
  type: 'terminal_reader.record',
  action: 'terminal_reader.recorded',
  schema: Joi.object({
    external_id: Joi.string().required(),
    label: Joi.string().required(),
    device_type: Joi.string().allow(null).required(),
    status: Joi.string().required(),
    observed_at: Joi.string().required(),
  }),
  permission: 'write',
});
