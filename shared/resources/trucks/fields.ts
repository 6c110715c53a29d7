import Joi from 'joi';
import { dutyClass, settableTruckStatus, truckStatus } from '../../contracts/enums.js';
import { jsonObject, jsonTime } from '../../contracts/resource.js';
import {
  allRequired,
  coordinate,
  dateTime,
  integer,
  text,
  uuid,
  vin,
} from '../../contracts/schemas/fields.js';
import { ODOMETER_SOURCES } from '../../integrations/contract/telematics.js';
import { type Field, optionalReference, optionalText, recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';
import { driverTable } from '../drivers/table.js';
import { selectFromCurrentWorkOrder, selectTruckStatus } from './current-work-order.js';

const unitNumber = () => text(32).example('T-12');

/** An older position is stale. */
export const STALE_AFTER_MINUTES = 5;

/**
 * Returns the SQL condition that the position is older than five minutes. The API marks such a
 * position as stale.
 */
export const isPositionStale = (alias: string) =>
  `${alias}.located_at < now() - interval '${STALE_AFTER_MINUTES} minutes'`;

const location: Field = {
  input: Joi.object({
    lat: coordinate(90).required().example(40.7128),
    lng: coordinate(180).required().example(-74.006),
    heading: Joi.number()
      .strict()
      .min(0)
      .max(360)
      .allow(null)
      .description('Degrees clockwise from north')
      .example(90),
    speed_mph: Joi.number().strict().min(0).max(300).allow(null).example(35),
    at: dateTime().description('When the truck was there; default now'),
  })
    .allow(null)
    .description('A position replaces the previous one as a whole; null removes it'),
  output: allRequired({
    lat: Joi.number(),
    lng: Joi.number(),
    heading: Joi.number().allow(null),
    speed_mph: Joi.number().allow(null),
    at: dateTime(),
    stale: Joi.boolean().description('Older than five minutes'),
  })
    .allow(null)
    .description('Last known position'),
  sql: (alias) => {
    const at = { ...jsonTime(alias, 'located_at'), name: 'at' };
    const stale = { name: 'stale', sql: isPositionStale(alias) };
    const position = jsonObject(alias, ['lat', 'lng', 'heading', 'speed_mph', at, stale]);
    return `case when ${alias}.located_at is not null then ${position} end`;
  },
  columns: {
    lat: 'double precision',
    lng: 'double precision',
    heading: 'double precision',
    speed_mph: 'double precision',
    located_at: 'timestamptz',
  },
  csv: [
    { name: 'location_lat', kind: 'plain', sql: (alias) => `${alias}.lat` },
    { name: 'location_lng', kind: 'plain', sql: (alias) => `${alias}.lng` },
    { name: 'location_heading', kind: 'plain', sql: (alias) => `${alias}.heading` },
    { name: 'location_speed_mph', kind: 'plain', sql: (alias) => `${alias}.speed_mph` },
    { name: 'location_at', kind: 'time', sql: (alias) => `${alias}.located_at` },
    { name: 'location_stale', kind: 'boolean', sql: (alias) => `(${isPositionStale(alias)})` },
  ],
};

const odometer: Field = {
  output: allRequired({
    miles: Joi.number().min(0).example(48_210.4),
    source: Joi.string()
      .valid(...ODOMETER_SOURCES)
      .example('obd')
      .description('obd: read from the vehicle. gps: calculated by the vendor from positions'),
    read_at: dateTime(),
  })
    .allow(null)
    .meta({ className: 'TruckOdometer' })
    .description('What the odometer showed last, as the telematics vendor reported it'),
  sql: (alias) => {
    const members = ['miles', 'source'].map((name) => ({ name, sql: `${alias}.odometer_${name}` }));
    const readAt = jsonTime(alias, 'read_at', `${alias}.odometer_read_at`);
    return `case when ${alias}.odometer_read_at is not null then ${jsonObject(alias, [...members, readAt])} end`;
  },
  columns: null,
  csv: [
    { name: 'odometer_miles', kind: 'plain' },
    { name: 'odometer_source', kind: 'plain' },
    { name: 'odometer_read_at', kind: 'time' },
  ],
  isLastInCsv: true,
};

export const truckFields = defineFields({
  id: recordId(),
  unit_number: {
    input: unitNumber().description('Unique in an account, ignoring case'),
    changeInput: text(32).example('T-14'),
    isRequired: true,
    output: unitNumber(),
    columns: 'text',
    freeText: true,
  },
  duty_class: { input: dutyClass, isRequired: true, columns: 'text' },
  status: {
    input: settableTruckStatus.description(
      'The status set by people. While the truck is on a job, the progress of that job is shown instead',
    ),
    output: truckStatus.description(
      'On a job: assigned, en_route, on_scene, towing or returning, by the progress of that job',
    ),
    sql: selectTruckStatus,
    columns: 'text',
  },
  driver_id: optionalReference(driverTable),
  vin: optionalText(17, { input: vin().allow(null), freeText: true }),
  plate: optionalText(20, { input: text(20).allow(null).example('TOW 123'), freeText: true }),
  make: optionalText(100, { input: text(100).allow(null).example('Peterbilt'), freeText: true }),
  model: optionalText(100, { input: text(100).allow(null).example('389'), freeText: true }),
  year: {
    input: integer(1900, 2200).allow(null).example(2022),
    output: Joi.number().integer().allow(null),
    columns: 'integer',
  },
  location,
  current_work_order_id: {
    output: uuid().allow(null).description('The dispatched or in_progress work order that the truck is on'),
    sql: (alias) => selectFromCurrentWorkOrder(alias, 'j.id'),
    columns: null,
  },
  created_at: time(),
  updated_at: time(),
  odometer,
});
