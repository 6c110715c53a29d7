import Joi from 'joi';
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

/** A report about a truck (DVIR) as a telematics vendor shows it. */
export interface InspectionReport {
  /** Null if the vendor's vehicle has no truck any more. A recorded inspection keeps its truck. */
  truck_id: string | null;
  /** Null if the vendor's driver has no driver here, or no longer. The recorded one then stays. */
  driver_id?: string | null;
  kind: 'pre_trip' | 'post_trip';
  /** `resolved` means that the report was unsafe, and that the truck may be driven again. */
  verdict: 'safe' | 'unsafe' | 'resolved';
  defects: {
    external_id: string;
    component: string;
    resolved_at: string | null;
    resolved_by: string | null;
  }[];
  odometer_miles: number | null;
  notes: string | null;
  submitted_at: string;
  /** RFC 3339: the last change of the report at the vendor. */
  changed_at: string;
}

/**
 * Records an inspection as its vendor reports it. The integrations worker submits this command.
 */
export const recordInspection = defineCommand<InspectionReport>({
  type: 'inspection.record',
  action: 'inspection.recorded',
  schema: Joi.object({
    truck_id: Joi.string().allow(null).required(),
    changed_at: Joi.string().required(),
  }).unknown(),
  permission: 'write',
});
