import type { Row } from '../../platform/postgres/database.js';
import type { RecordRef } from '../../records/record-refs.js';
import type { WorkOrderStatus } from './transitions.js';

export interface WorkOrderRow extends Row, RecordRef {
  job_number: string;
  status: WorkOrderStatus;
  intake: 'new' | 'accepted';
  truck_id: string | null;
  driver_id: string | null;
  step: string | null;
  dispatch_time: string | null;
  completion_time: string | null;
  cancel_reason: string | null;
  cancel_note: string | null;
  eta: string | null;
  miles: number | null;
}
