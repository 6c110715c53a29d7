import Joi from 'joi';
import {
  defectSeverity,
  inspectionItemState,
  inspectionKind,
  inspectionResult,
} from '../../contracts/enums.js';
import {
  allRequired,
  cursor,
  dateOrDateTime,
  dateTime,
  integer,
  limit,
  multilineText,
  slug,
  text,
  uuid,
  vin,
  webUrl,
} from '../../contracts/schemas/fields.js';
import { PHOTO_PHASES, PHOTO_SLOTS } from '../../contracts/vocabulary.js';

/**
 * Maximum items, defects or photos of one inspection; the same limit as for line items of an
 * invoice.
 */
const MAX_ENTRIES = 200;

const itemInput = () =>
  Joi.object({
    key: text(64).required().example('brakes'),
    label: text(200).allow(null).example('Brakes hold'),
    state: inspectionItemState.required(),
    note: multilineText(2000).allow(null),
  });

const defectInput = () =>
  Joi.object({
    component: text(200).required().example('Winch cable'),
    severity: defectSeverity.required(),
    resolved_at: dateTime().allow(null).description('Set if the defect was fixed on the spot'),
    resolved_by: text(200).allow(null),
  });

const photoInput = () =>
  Joi.object({
    slot: slug(PHOTO_SLOTS).required(),
    phase: slug(PHOTO_PHASES).allow(null),
    url: webUrl().required(),
    taken_at: dateTime().allow(null),
  });

export const inspectionCreate = Joi.object({
  kind: inspectionKind.required(),
  truck_id: uuid().allow(null),
  driver_id: uuid().allow(null),
  work_order_id: uuid().allow(null),
  vehicle: Joi.object({
    vin: vin().allow(null),
    plate: text(20).allow(null),
    make: text(100).allow(null).example('Honda'),
    model: text(100).allow(null).example('Accord'),
    year: integer(1900, 2200).allow(null).example(2019),
  })
    .allow(null)
    .description('The inspected vehicle, if it is not a truck of the fleet'),
  odometer_miles: integer(0, 9_999_999).allow(null),
  items: Joi.array().items(itemInput()).max(MAX_ENTRIES),
  defects: Joi.array().items(defectInput()).max(MAX_ENTRIES),
  photos: Joi.array().items(photoInput()).max(MAX_ENTRIES),
  notes: multilineText(5000).allow(null),
}).meta({ className: 'InspectionCreate' });

export const inspectionPatch = Joi.object({
  defects: Joi.array()
    .items(
      Joi.object({
        id: uuid().required(),
        resolved_at: dateTime().required().allow(null).description('null reopens the defect'),
        resolved_by: text(200).allow(null),
      }),
    )
    .unique('id')
    .max(MAX_ENTRIES)
    .description('Defects to resolve or reopen. Omitted defects do not change'),
  notes: multilineText(5000).allow(null),
}).meta({ className: 'InspectionPatch' });

export const inspection = allRequired({
  id: uuid(),
  kind: inspectionKind,
  truck_id: uuid().allow(null),
  driver_id: uuid().allow(null),
  work_order_id: uuid().allow(null),
  vehicle: allRequired({
    vin: Joi.string().allow(null),
    plate: Joi.string().allow(null),
    make: Joi.string().allow(null),
    model: Joi.string().allow(null),
    year: Joi.number().integer().allow(null),
  }).allow(null),
  odometer_miles: Joi.number().integer().allow(null),
  items: Joi.array().items(
    allRequired({
      key: Joi.string(),
      label: Joi.string().allow(null),
      state: inspectionItemState,
      note: Joi.string().allow(null),
    }),
  ),
  defects: Joi.array().items(
    allRequired({
      id: uuid(),
      component: Joi.string(),
      severity: defectSeverity,
      resolved_at: dateTime().allow(null),
      resolved_by: Joi.string().allow(null),
    }),
  ),
  photos: Joi.array().items(
    allRequired({
      slot: slug(PHOTO_SLOTS),
      phase: slug(PHOTO_PHASES).allow(null),
      url: webUrl(),
      taken_at: dateTime().allow(null),
    }),
  ),
  result: inspectionResult.description(
    'Derived: out_of_service while a defect of that severity is unresolved; pass_with_defects while any other defect is unresolved or an item has failed; otherwise pass',
  ),
  notes: Joi.string().allow(null),
  submitted_at: dateTime(),
  created_at: dateTime(),
  updated_at: dateTime(),
}).meta({ className: 'Inspection' });

export const inspectionListQuery = Joi.object({
  kind: inspectionKind,
  truck_id: uuid(),
  driver_id: uuid(),
  work_order_id: uuid(),
  result: inspectionResult,
  since: dateOrDateTime().description('Created at or after'),
  until: dateOrDateTime().description('Created before'),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'InspectionListQuery' });
