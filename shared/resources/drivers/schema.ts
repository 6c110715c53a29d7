import Joi from 'joi';
import { driverStatus, dutyClass } from '../../contracts/enums.js';
import { allRequired, cursor, dateTime, limit, text, uuid } from '../../contracts/schemas/fields.js';
import { DUTY_CLASSES } from '../../contracts/vocabulary.js';

const driverName = () => text(200).example('Sam Rivera');
const dutyClasses = () => Joi.array().items(dutyClass);

const driverKeys = () => ({
  phone: text(32).allow(null).example('+1 212 555 0100'),
  duty_classes: dutyClasses()
    .unique()
    .max(DUTY_CLASSES.length)
    .description('Classes of trucks that the driver may drive'),
  status: driverStatus,
});

export const driverCreate = Joi.object({
  name: driverName().required(),
  ...driverKeys(),
}).meta({ className: 'DriverCreate' });

export const driverPatch = Joi.object({
  name: driverName(),
  ...driverKeys(),
}).meta({ className: 'DriverPatch' });

export const driver = allRequired({
  id: uuid(),
  name: driverName(),
  phone: Joi.string().allow(null),
  duty_classes: dutyClasses(),
  status: driverStatus,
  created_at: dateTime(),
  updated_at: dateTime(),
}).meta({ className: 'Driver' });

export const driverListQuery = Joi.object({
  status: driverStatus,
  search: text(100).description('Part of name'),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'DriverListQuery' });
