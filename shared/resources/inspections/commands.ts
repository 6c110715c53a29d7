import { defineCommand } from '../../contracts/command.js';
import type { InspectionCreate, InspectionPatch } from '../../contracts/generated.js';
import { inspectionCreate, inspectionPatch } from './schema.js';

// Agents cannot submit these commands: the specification has no agent scope for inspections
// (docs/specification.md §5).
export const createInspection = defineCommand<InspectionCreate>({
  type: 'inspection.create',
  action: 'inspection.created',
  creates: true,
  schema: inspectionCreate,
  permission: 'write',
});

export const updateInspection = defineCommand<InspectionPatch>({
  type: 'inspection.update',
  action: 'inspection.updated',
  schema: inspectionPatch,
  permission: 'write',
});
