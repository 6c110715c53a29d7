import { defineCommand } from '../../contracts/command.js';
import type { DriverCreate, DriverPatch } from '../../contracts/generated.js';
import { driverCreate, driverPatch } from './schema.js';

// No agent scope of the specification covers writing drivers.
export const createDriver = defineCommand<DriverCreate>({
  type: 'driver.create',
  entityType: 'driver',
  action: 'driver.created',
  creates: true,
  schema: driverCreate,
  permission: 'write',
  agentScope: null,
});

export const updateDriver = defineCommand<DriverPatch>({
  type: 'driver.update',
  entityType: 'driver',
  action: 'driver.updated',
  creates: false,
  schema: driverPatch,
  permission: 'write',
  agentScope: null,
});
