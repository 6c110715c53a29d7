import Joi from 'joi';
import { defineFields } from '../../records/fields/record-fields.js';
import { LISTED_DRIVERS } from '../../sync/listed/listed-tables.js';
import { linkedId, listedIds, listedText, listedTimes, proposal } from '../fleet-links/linked-fields.js';
import { findProposalSql } from './proposal.js';

/** A driver as a telematics vendor lists them, and the driver here that a person has linked. */
export const connectionDriverFields = defineFields({
  ...listedIds("The vendor's id of the driver"),
  name: listedText('Sam Rivera'),
  phone: listedText('+1 212 555 0100'),
  driver_id: linkedId(LISTED_DRIVERS, 'The driver here; null until a person links it'),
  proposed_driver: proposal(LISTED_DRIVERS, {
    members: {
      name: Joi.string().example('Sam Rivera'),
      matched_by: Joi.string().valid('phone', 'name'),
    },
    description:
      'The driver here who it probably is: the only active one with this phone number, else the only one with this name. null if it is linked, or if the driver is, or if another driver of the vendor has the same number or name',
    findSql: findProposalSql,
  }),
  ...listedTimes(),
});
