import { defineCommand } from '../../contracts/command.js';
import type { TruckCreate, TruckPatch } from '../../contracts/generated.js';
import { truckCreate, truckPatch } from './schema.js';

const unitKey = (unitNumber: string) => `truck_unit_number:${unitNumber.toLowerCase()}`;

// Agents cannot submit these commands, because no agent scope of docs/specification.md covers
// writing the fleet.
export const createTruck = defineCommand<TruckCreate>({
  type: 'truck.create',
  action: 'truck.created',
  creates: true,
  schema: truckCreate,
  permission: 'write',
  conflictKeys: (input) => [unitKey(input.unit_number)],
});

export const updateTruck = defineCommand<TruckPatch>({
  type: 'truck.update',
  action: 'truck.updated',
  schema: truckPatch,
  permission: 'write',
  conflictKeys: (input) => (input.unit_number === undefined ? [] : [unitKey(input.unit_number)]),
});
