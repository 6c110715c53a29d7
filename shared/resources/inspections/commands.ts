import { defineCommand } from '../../contracts/command.js';
import type { InspectionCreate, InspectionPatch } from '../../contracts/generated.js';
import { inspectionCreate, inspectionPatch } from './schema.js';

// The specification has no agent scope for inspections (docs/specification.md §5).
export const createInspection = defineCommand<InspectionCreate>({
  type: 'inspection.create',
  entityType: 'inspection',
  action: 'inspection.created',
  creates: true,
  schema: inspectionCreate,
  permission: 'write',
  agentScope: null,
});

export const updateInspection = defineCommand<InspectionPatch>({
  type: 'inspection.update',
  entityType: 'inspection',
  action: 'inspection.updated',
  creates: false,
  schema: inspectionPatch,
  permission: 'write',
  agentScope: null,
});
