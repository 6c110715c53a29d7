import type { WorkOrder } from '../../api/records';
import { CopyButton } from '../values/copy';

/**
 * Buttons that copy the links to the driver's page and the motorist's page. The API returns these
 * links only to people with the right to dispatch, and only while the links work.
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
