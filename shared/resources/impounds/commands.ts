import { defineCommand } from '../../contracts/command.js';
import type {
  ImpoundAction,
  ImpoundCreate,
  ImpoundHold,
  ImpoundPatch,
  ImpoundRelease,
} from '../../contracts/generated.js';
import { impoundAction, impoundCreate, impoundHold, impoundPatch, impoundRelease } from './schema.js';

// The specification has no agent scope for impounds (docs/specification.md §5).
export const createImpound = defineCommand<ImpoundCreate>({
  type: 'impound.create',
  entityType: 'impound',
  action: 'impound.created',
  creates: true,
  schema: impoundCreate,
  permission: 'write',
  agentScope: null,
});

export const updateImpound = defineCommand<ImpoundPatch>({
  type: 'impound.update',
  entityType: 'impound',
  action: 'impound.updated',
  creates: false,
  schema: impoundPatch,
  permission: 'write',
  agentScope: null,
});

export const holdImpound = defineCommand<ImpoundHold>({
  type: 'impound.hold',
  entityType: 'impound',
  action: 'impound.hold_placed',
  creates: false,
  schema: impoundHold,
  permission: 'write',
  agentScope: null,
});

export const unholdImpound = defineCommand<ImpoundAction>({
  type: 'impound.unhold',
  entityType: 'impound',
  action: 'impound.hold_lifted',
  creates: false,
  schema: impoundAction,
  permission: 'write',
  agentScope: null,
});

export const releaseImpound = defineCommand<ImpoundRelease>({
  type: 'impound.release',
  entityType: 'impound',
  action: 'impound.released',
  creates: false,
  schema: impoundRelease,
  permission: 'write',
  agentScope: null,
});

/** Only the clock submits this command. */
export const accrueStorage = defineCommand<ImpoundAction>({
  type: 'impound.accrue',
  entityType: 'impound',
  action: 'impound.storage_accrued',
  creates: false,
  schema: impoundAction,
  permission: 'admin',
  agentScope: null,
});
