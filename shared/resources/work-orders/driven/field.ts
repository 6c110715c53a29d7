import Joi from 'joi';
import { jsonObject, jsonTime } from '../../../contracts/resource.js';
import { allRequired, dateTime } from '../../../contracts/schemas/fields.js';
import type { Field } from '../../../records/fields/field.js';
import { DRIVEN_SOURCES } from './command.js';

const miles = () => Joi.number().min(0).allow(null);
const share = () => Joi.number().min(0).max(1);

const MEMBERS = ['miles', 'coverage', 'loaded_miles', 'loaded_coverage'] as const;
const SOURCES = ['source', 'loaded_source'] as const;

const source = () =>
  Joi.string()
    .valid(...DRIVEN_SOURCES)
    .allow(null)
    .example('odometer');

/** What the positions and the odometer of a work order's truck say about its drive. */
export const driven: Field = {
  output: allRequired({
    miles: miles()
      .example(21.4)
      .description('From dispatch to completion or cancellation. null: the positions are too few to say'),
    coverage: share()
      .example(0.97)
      .description('Share of that time for which positions show where the truck was'),
    loaded_miles: miles()
      .example(12.1)
      .description(
        'From the step hooked or towing to the step at_destination or cleared. null: a step is missing or was logged during the drive, or positions are too few to say',
      ),
    loaded_coverage: share()
      .allow(null)
      .example(0.99)
      .description('The same share of the loaded time. null: a step is missing'),
    measured_at: dateTime(),
    source: source().description(
      'Where miles comes from: the odometer of the truck, or straight lines between positions. null: no figure, or it was measured by an earlier version',
    ),
    loaded_source: source().description('The same of loaded_miles'),
  })
    .allow(null)
    .meta({ className: 'DrivenMiles' })
    .description(
      "Miles that the truck drove, estimated some minutes after the work order was completed, or cancelled with the truck under way. They come from the truck's odometer, or from straight lines between its positions, a little less than on the road. The work order's own `miles` is what the driver reported. null: not ended, not measured yet, or the truck's positions are unknown",
    ),
  sql: (alias) =>
    `case when ${alias}.driven_measured_at is not null then ${jsonObject(alias, [
      ...MEMBERS.map((name) => ({ name, sql: `${alias}.driven_${name}` })),
      jsonTime(alias, 'measured_at', `${alias}.driven_measured_at`),
      ...SOURCES.map((name) => ({ name, sql: `${alias}.driven_${name}` })),
    ])} end`,
  columns: null,
  csv: [
    ...MEMBERS.map((name) => ({ name: `driven_${name}`, kind: 'plain' as const })),
    { name: 'driven_measured_at', kind: 'time' as const },
  ],
  isLastInCsv: true,
};

/** The columns of the CSV file that are newer than those after `driven`. */
export const drivenSources: Field = {
  output: null,
  columns: null,
  csv: SOURCES.map((name) => ({ name: `driven_${name}`, kind: 'plain' as const })),
  isLastInCsv: true,
};
