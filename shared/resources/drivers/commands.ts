import { defineCommand } from '../../contracts/command.js';
import type { DriverCreate, DriverPatch } from '../../contracts/generated.js';
import { driverCreate, driverPatch } from './schema.js';

// Agents cannot submit these commands, because no agent scope of the specification covers writing
// drivers.
export const createDriver = defineCommand<DriverCreate>({
  type: 'driver.create',
  action: 'driver.created',
  creates: true,
  schema: driverCreate,
  permission: 'write',
});

export const updateDriver = defineCommand<DriverPatch>({
  type: 'driver.update',
  action: 'driver.updated',
  schema: driverPatch,
  permission: 'write',
});
