import Joi from 'joi';
import { jsonObject } from '../../contracts/resource.js';
import { allRequired, dateTime, uuid } from '../../contracts/schemas/fields.js';
import { type Field, recordId, time } from '../../records/fields/field.js';
import { selectLinkedSql } from '../../sync/listed/listed-rows.js';
import type { ListedTable } from '../../sync/listed/listed-tables.js';

/** A text that the vendor may lack. */
export const listedText = (example: string): Field => ({
  output: Joi.string().allow(null).example(example),
  columns: 'text',
});

/** The fields of every listed record before those that the vendor fills. */
export const listedIds = (description: string) => ({
  id: recordId(),
  connection_id: { output: uuid() },
  external_id: { output: Joi.string().example('281474976710656').description(description) },
});

export const listedTimes = () => ({
  removed_at: time(dateTime().allow(null).description('When the vendor stopped to list it')),
  created_at: time(),
  updated_at: time(),
});

/** The id of the record here to which the listed record is linked. */
export const linkedId = ({ linkKind }: ListedTable, description: string): Field => ({
  output: uuid().allow(null).description(description),
  sql: (alias) => selectLinkedSql(linkKind, alias),
  columns: null,
  csv: null,
});

/** The record here that a listed record without a link probably is. */
export const proposal = (
  { linkKind }: ListedTable,
  {
    members,
    description,
    findSql,
  }: { members: Record<string, Joi.Schema>; description: string; findSql: (alias: string) => string },
): Field => ({
  output: allRequired({ id: uuid(), ...members })
    .allow(null)
    .description(description),
  sql: (alias) =>
    `case when ${selectLinkedSql(linkKind, alias)} is null then
        (select ${jsonObject('p', ['id', ...Object.keys(members)])} from (${findSql(alias)}) p) end`,
  columns: null,
  csv: null,
});
