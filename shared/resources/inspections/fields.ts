import Joi from 'joi';
import {
  defectSeverity,
  inspectionItemState,
  inspectionKind,
  inspectionResult,
} from '../../contracts/enums.js';
import {
  allRequired,
  dateTime,
  integer,
  multilineText,
  slug,
  text,
  uuid,
  vin,
  webUrl,
} from '../../contracts/schemas/fields.js';
import { PHOTO_PHASES, PHOTO_SLOTS } from '../../contracts/vocabulary.js';
import {
  type CellKind,
  type Field,
  optionalMultilineText,
  optionalReference,
  recordId,
  time,
} from '../../records/fields/field.js';
import { defineEntryFields, defineFields, type RecordFields } from '../../records/fields/record-fields.js';
import { driverTable } from '../drivers/table.js';
import { truckTable } from '../trucks/table.js';
import { workOrderTable } from '../work-orders/table.js';

/** Maximum length of each list of an inspection: items, defects, photos. */
const MAX_ENTRIES = 200;

const nullableText = () => Joi.string().allow(null);

const vehicleCell = (name: string, kind: CellKind) => ({
  name: `vehicle_${name}`,
  kind,
  sql: (alias: string) => `(${alias}.vehicle ->> '${name}')`,
});

const vehicle: Field = {
  input: Joi.object({
    vin: vin().allow(null),
    plate: text(20).allow(null),
    make: text(100).allow(null).example('Honda'),
    model: text(100).allow(null).example('Accord'),
    year: integer(1900, 2200).allow(null).example(2019),
  })
    .allow(null)
    .description('The inspected vehicle, if it is not a truck of the fleet'),
  output: allRequired({
    vin: nullableText(),
    plate: nullableText(),
    make: nullableText(),
    model: nullableText(),
    year: Joi.number().integer().allow(null),
  }).allow(null),
  columns: 'jsonb',
  csv: [
    vehicleCell('vin', 'text'),
    vehicleCell('plate', 'text'),
    vehicleCell('make', 'text'),
    vehicleCell('model', 'text'),
    vehicleCell('year', 'plain'),
  ],
  freeText: ['vin', 'plate', 'make', 'model'],
};

export const inspectionLists = {
  items: defineEntryFields({
    key: { input: text(64).example('brakes'), isRequired: true, output: Joi.string() },
    label: { input: text(200).allow(null).example('Brakes hold'), output: nullableText() },
    state: { input: inspectionItemState, isRequired: true },
    note: { input: multilineText(2000).allow(null), output: nullableText(), freeText: true },
  }),
  defects: defineEntryFields({
    id: recordId(),
    component: { input: text(200).example('Winch cable'), isRequired: true, output: Joi.string() },
    severity: { input: defectSeverity, isRequired: true },
    resolved_at: {
      input: dateTime().allow(null).description('Set if the defect was fixed on the spot'),
      output: dateTime().allow(null),
    },
    resolved_by: { input: text(200).allow(null), output: nullableText() },
  }),
  photos: defineEntryFields({
    slot: { input: slug(PHOTO_SLOTS), isRequired: true, csv: 'plain' },
    phase: { input: slug(PHOTO_PHASES).allow(null), csv: 'plain' },
    url: { input: webUrl(), isRequired: true },
    taken_at: { input: dateTime().allow(null) },
  }),
};

const list = ({ creation, response, freeTextNames }: RecordFields, options: Partial<Field>): Field => ({
  input: Joi.array().items(Joi.object(creation)).max(MAX_ENTRIES),
  output: Joi.array().items(response),
  columns: 'jsonb',
  freeText: freeTextNames,
  ...options,
});

const defectChanges = Joi.array()
  .items(
    Joi.object({
      id: uuid().required(),
      resolved_at: dateTime().required().allow(null).description('null reopens the defect'),
      resolved_by: text(200).allow(null),
    }),
  )
  .unique('id')
  .max(MAX_ENTRIES)
  .description('Defects to resolve or reopen. Omitted defects do not change');

/**
 * The fields of an inspection. `vehicle`, `items`, `defects` and `photos` are stored as JSON, in
 * the form that the API shows. An export of inspections prints the lists as JSON. An export of all
 * records also has a file for each list.
 */
export const inspectionFields = defineFields({
  id: recordId(),
  kind: { input: inspectionKind, setBy: 'create', isRequired: true, columns: 'text' },
  truck_id: optionalReference(truckTable, { setBy: 'create' }),
  driver_id: optionalReference(driverTable, { setBy: 'create' }),
  work_order_id: optionalReference(workOrderTable, { setBy: 'create' }),
  vehicle: { ...vehicle, setBy: 'create' },
  odometer_miles: {
    input: integer(0, 9_999_999).allow(null),
    setBy: 'create',
    output: Joi.number().integer().allow(null),
    columns: 'integer',
  },
  items: list(inspectionLists.items, { setBy: 'create' }),
  defects: list(inspectionLists.defects, { changeInput: defectChanges }),
  photos: list(inspectionLists.photos, { setBy: 'create' }),
  result: {
    output: inspectionResult.description(
      'Derived: out_of_service while a defect of that severity is unresolved; pass_with_defects while any other defect is unresolved or an item has failed; otherwise pass',
    ),
  },
  notes: optionalMultilineText(5000, { freeText: true }),
  submitted_at: time(),
  created_at: time(),
  updated_at: time(),
  job_number: { columns: null, csv: 'text' },
});
