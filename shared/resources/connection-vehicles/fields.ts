import Joi from 'joi';
import { dutyClass } from '../../contracts/enums.js';
import { defineFields } from '../../records/fields/record-fields.js';
import { LISTED_VEHICLES } from '../../sync/listed/listed-tables.js';
import { linkedId, listedIds, listedText, listedTimes, proposal } from '../fleet-links/linked-fields.js';
import { findProposalSql } from './proposal.js';

/** A vehicle as a telematics vendor lists it, and the truck that a person has linked it to. */
export const connectionVehicleFields = defineFields({
  ...listedIds("The vendor's id of the vehicle"),
  name: listedText('T-12'),
  vin: listedText('1FVACWDT39HAJ3496'),
  plate: listedText('TOW 123'),
  make: listedText('Peterbilt'),
  model: listedText('389'),
  year: { output: Joi.number().integer().allow(null).example(2022), columns: 'integer' },
  duty_class: {
    output: dutyClass.allow(null).description("By the vehicle's weight; null if the vendor does not know it"),
    columns: 'text',
  },
  truck_id: linkedId(LISTED_VEHICLES, 'The truck that the vehicle is; null until a person links it'),
  proposed_truck: proposal(LISTED_VEHICLES, {
    members: {
      unit_number: Joi.string().example('T-12'),
      matched_by: Joi.string().valid('vin', 'unit_number'),
    },
    description:
      'The truck that it probably is: one with its VIN, else one whose unit number is its name. null if it is linked, or if the truck is',
    findSql: findProposalSql,
  }),
  ...listedTimes(),
});
