import { defineCommand } from '../../contracts/command.js';
import type {
  ImpoundAction,
  ImpoundCreate,
  ImpoundHold,
  ImpoundPatch,
  ImpoundRelease,
} from '../../contracts/generated.js';
import { impoundAction, impoundCreate, impoundHold, impoundPatch, impoundRelease } from './schema.js';

// Agents cannot submit these commands: the specification has no agent scope for impounds
// (docs/specification.md §5).
export const createImpound = defineCommand<ImpoundCreate>({
  type: 'impound.create',
  action: 'impound.created',
  creates: true,
  schema: impoundCreate,
  permission: 'write',
});

export const updateImpound = defineCommand<ImpoundPatch>({
  type: 'impound.update',
  action: 'impound.updated',
  schema: impoundPatch,
  permission: 'write',
});

export const holdImpound = defineCommand<ImpoundHold>({
  type: 'impound.hold',
  action: 'impound.hold_placed',
  schema: impoundHold,
  permission: 'write',
});

export const unholdImpound = defineCommand<ImpoundAction>({
  type: 'impound.unhold',
  action: 'impound.hold_lifted',
  schema: impoundAction,
  permission: 'write',
});

export const releaseImpound = defineCommand<ImpoundRelease>({
  type: 'impound.release',
  action: 'impound.released',
  schema: impoundRelease,
  permission: 'write',
});

/** Only the clock submits this command. */
export const accrueStorage = defineCommand<ImpoundAction>({
  type: 'impound.accrue',
  action: 'impound.storage_accrued',
  schema: impoundAction,
  permission: 'admin',
});
