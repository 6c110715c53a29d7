import type Joi from 'joi';
import type { CommandDefinition } from '../../contracts/command.js';
import type { ResourceTable } from '../resource-table.js';
import type { RecordFields } from './record-fields.js';

/** Everything that a resource publishes, except its handlers and its routes. */
export interface ResourceModule {
  table: ResourceTable;
  /** All schemas of the resource's bodies and queries, for the OpenAPI document. */
  schemas: Record<string, Joi.Schema>;
  commands: readonly CommandDefinition<never>[];
  /** Empty if the resource does not define its records with `defineFields`. */
  fields: readonly RecordFields[];
}

/**
 * Builds the module of a resource. Pass all exports of the resource's `schema.ts` as `schemas`, and
 * all exports of its `commands.ts` as `commands`.
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
