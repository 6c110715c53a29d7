import Joi from 'joi';
import { dutyClass } from '../../contracts/enums.js';
import { jsonObject } from '../../contracts/resource.js';
import { allRequired, dateTime, uuid } from '../../contracts/schemas/fields.js';
import { recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';
import { findProposalSql, selectLinkedTruck } from './links.js';

const text = (example: string) => ({ output: Joi.string().allow(null).example(example), columns: 'text' });

/** A vehicle as a telematics vendor lists it, and the truck that a person has linked it to. */
export const connectionVehicleFields = defineFields({
  id: recordId(),
  connection_id: { output: uuid() },
  external_id: {
    output: Joi.string().example('281474976710656').description("The vendor's id of the vehicle"),
  },
  name: text('T-12'),
  vin: text('1FVACWDT39HAJ3496'),
  plate: text('TOW 123'),
  make: text('Peterbilt'),
  model: text('389'),
  year: { output: Joi.number().integer().allow(null).example(2022), columns: 'integer' },
  duty_class: {
    output: dutyClass.allow(null).description("By the vehicle's weight; null if the vendor does not know it"),
    columns: 'text',
  },
  truck_id: {
    output: uuid().allow(null).description('The truck that the vehicle is; null until a person links it'),
    sql: selectLinkedTruck,
    columns: null,
    csv: null,
  },
  proposed_truck: {
    output: allRequired({
      id: uuid(),
      unit_number: Joi.string().example('T-12'),
      matched_by: Joi.string().valid('vin', 'unit_number'),
    })
      .allow(null)
      .description(
        'The truck that it probably is: one with its VIN, else one whose unit number is its name. null if it is linked, or if the truck is',
      ),
    sql: (alias) =>
      `case when ${selectLinkedTruck(alias)} is null then
        (select ${jsonObject('p', ['id', 'unit_number', 'matched_by'])} from (${findProposalSql(alias)}) p) end`,
    columns: null,
    csv: null,
  },
  removed_at: time(dateTime().allow(null).description('When the vendor stopped to list it')),
  created_at: time(),
  updated_at: time(),
});
