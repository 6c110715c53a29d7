import type { NeededSchema } from '../shared/platform/process/needed-schema.js';
import { nameRenderFunction } from '../shared/records/stored-json/stored-json.js';
import { STORED_JSON_TABLES } from '../shared/registry/tables.js';
import { MIGRATION_HEAD } from './index.js';

/** What a process of this version needs in the database. */
export const NEEDED_SCHEMA: NeededSchema = {
  migrationHead: MIGRATION_HEAD,
  functions: STORED_JSON_TABLES.map((table) => `public.${nameRenderFunction(table)}(uuid,uuid)`),
};
