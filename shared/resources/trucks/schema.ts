import Joi from 'joi';
import { dutyClass, settableTruckStatus, truckStatus } from '../../contracts/enums.js';
import {
  allRequired,
  coordinate,
  cursor,
  dateTime,
  integer,
  limit,
  text,
  uuid,
  vin,
} from '../../contracts/schemas/fields.js';

const unitNumber = () => text(32).example('T-12');
const settableStatus = () =>
  settableTruckStatus.description(
    'The status set by people. While the truck is on a job, the progress of that job is shown instead',
  );

const location = () =>
  Joi.object({
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
    .description('A position replaces the previous one as a whole; null removes it');

const truckKeys = () => ({
  status: settableStatus(),
  driver_id: uuid().allow(null),
  vin: vin().allow(null),
  plate: text(20).allow(null).example('TOW 123'),
  make: text(100).allow(null).example('Peterbilt'),
  model: text(100).allow(null).example('389'),
  year: integer(1900, 2200).allow(null).example(2022),
  location: location(),
});

export const truckCreate = Joi.object({
  unit_number: unitNumber().required().description('Unique in an account, ignoring case'),
  duty_class: dutyClass.required(),
  ...truckKeys(),
}).meta({ className: 'TruckCreate' });

export const truckPatch = Joi.object({
  unit_number: text(32).example('T-14'),
  duty_class: dutyClass,
  ...truckKeys(),
}).meta({ className: 'TruckPatch' });

export const truck = allRequired({
  id: uuid(),
  unit_number: unitNumber(),
  duty_class: dutyClass,
  status: truckStatus.description(
    'On a job: assigned, en_route, on_scene, towing or returning, by the progress of that job',
  ),
  driver_id: uuid().allow(null),
  vin: Joi.string().allow(null),
  plate: Joi.string().allow(null),
  make: Joi.string().allow(null),
  model: Joi.string().allow(null),
  year: Joi.number().integer().allow(null),
  location: allRequired({
    lat: Joi.number(),
    lng: Joi.number(),
    heading: Joi.number().allow(null),
    speed_mph: Joi.number().allow(null),
    at: dateTime(),
    stale: Joi.boolean().description('Older than five minutes'),
  })
    .allow(null)
    .description('Last known position'),
  current_work_order_id: uuid()
    .allow(null)
    .description('The dispatched or in_progress work order that the truck is on'),
  created_at: dateTime(),
  updated_at: dateTime(),
}).meta({ className: 'Truck' });

export const truckListQuery = Joi.object({
  status: truckStatus,
  duty_class: dutyClass,
  search: text(100).description('Part of unit_number'),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'TruckListQuery' });
