import type Joi from 'joi';
import type { CommandDefinition } from '../../contracts/command.js';
import type { ResourceTable } from '../resource-table.js';
import type { RecordFields } from './record-fields.js';

/** What a resource publishes about itself, apart from its handlers and its routes. */
export interface ResourceModule {
  table: ResourceTable;
  /** All schemas of its bodies and queries in the OpenAPI document. */
  schemas: Record<string, Joi.Schema>;
  commands: readonly CommandDefinition<never>[];
  /** The rows of its fields; none if its records are not made of rows. */
  fields: readonly RecordFields[];
}

/**
 * Defines a resource from its own modules: `schemas` and `commands` are all exports of its
 * `schema.ts` and its `commands.ts`.
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
