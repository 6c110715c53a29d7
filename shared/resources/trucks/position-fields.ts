import Joi from 'joi';
import { uuid } from '../../contracts/schemas/fields.js';
import { recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';

const number = (example: number) => ({ output: Joi.number().example(example), columns: 'double precision' });

/** A past position of a truck. */
export const truckPositionFields = defineFields({
  id: recordId(),
  truck_id: { output: uuid() },
  connection_id: { output: uuid().description('The connection that reported it') },
  lat: number(40.7128),
  lng: number(-74.006),
  heading: {
    output: Joi.number().allow(null).example(90).description('Degrees clockwise from north'),
    columns: 'double precision',
  },
  speed_mph: { output: Joi.number().allow(null).example(35), columns: 'double precision' },
  at: time(),
});
