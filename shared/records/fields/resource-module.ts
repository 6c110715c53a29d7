import type Joi from 'joi';
import type { CommandDefinition } from '../../contracts/command.js';
import type { ResourceTable } from '../resource-table.js';
import type { RecordFields } from './record-fields.js';

/** What a resource publishes about itself, apart from its handlers and its routes. */
export interface ResourceModule {
  table: ResourceTable;
  /** All schemas of the resource's bodies and queries, for the OpenAPI document. */
  schemas: Record<string, Joi.Schema>;
  commands: readonly CommandDefinition<never>[];
  /** Empty if the resource does not define its records by fields. */
  fields: readonly RecordFields[];
}

/**
 * Builds the module of a resource. `schemas` and `commands` are all exports of the resource's
 * `schema.ts` and `commands.ts`.
 */
export function defineModule({
  table,
  schemas,
  commands = {},
  fields = [],
}: {
  table: ResourceTable;
  schemas: object;
  commands?: object;
  fields?: readonly RecordFields[];
}): ResourceModule {
  return {
    table,
    schemas: schemas as Record<string, Joi.Schema>,
    commands: Object.values(commands),
    fields,
  };
}
