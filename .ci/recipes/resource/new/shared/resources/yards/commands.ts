import { defineCommand } from '../../contracts/command.js';
import type { YardCreate, YardPatch } from '../../contracts/generated.js';
import { yardCreate, yardPatch } from './schema.js';

export const createYard = defineCommand<YardCreate>({
  type: 'yard.create',
  entityType: 'yard',
  action: 'yard.created',
  creates: true,
  schema: yardCreate,
  permission: 'write',
  agentScope: null,
});

export const updateYard = defineCommand<YardPatch>({
  type: 'yard.update',
  entityType: 'yard',
  action: 'yard.updated',
  creates: false,
  schema: yardPatch,
  permission: 'write',
  agentScope: null,
});
