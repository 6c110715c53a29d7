import type { WorkOrder } from '../../api/records';
import { CopyButton } from '../values/copy';

/**
 * Copies the links of the driver's and the motorist's page. Only people who may dispatch get them,
 * and only while the pages open.
 */
export function WorkOrderLinks({ workOrder }: { workOrder: WorkOrder }) {
  const { driver_url: driverUrl, tracking_url: trackingUrl } = workOrder;
  return (
    <>
      {driverUrl && <CopyButton text={driverUrl} label="driver's link" />}
      {trackingUrl && <CopyButton text={trackingUrl} label="tracking link" />}
    </>
  );
}
