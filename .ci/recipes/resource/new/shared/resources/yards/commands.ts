import { defineCommand } from '../../contracts/command.js';
import type { YardCreate, YardPatch } from '../../contracts/generated.js';
import { yardCreate, yardPatch } from './schema.js';

export const createYard = defineCommand<YardCreate>({
  type: 'yard.create',
  action: 'yard.created',
  creates: true,
  schema: yardCreate,
  permission: 'write',
});

export const updateYard = defineCommand<YardPatch>({
  type: 'yard.update',
  action: 'yard.updated',
  schema: yardPatch,
  permission: 'write',
});
