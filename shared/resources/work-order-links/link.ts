import type { Config } from '../../config/config.js';
import { openAllIds, openIds, sealIdsRepeatably } from '../../contracts/sealed-ids.js';
import { ACTIVE_STATUSES, type WORK_ORDER_STATUSES } from '../../contracts/vocabulary.js';
import { deriveKey, deriveUuid } from '../../platform/crypto.js';

/** The work order that a link opens. */
export interface LinkTarget {
  tenantId: string;
  workOrderId: string;
}

/** The members of a work order that may change when it is given to another driver or truck. */
export interface Assignment {
  status: (typeof WORK_ORDER_STATUSES)[number];
  truck_id: string | null;
  driver_id: string | null;
  dispatch_time: string | null;
}

/**
 * The keys that encrypt the links to the driver's page and the tracking page. A link to one page
 * does not open the other page.
 */
export interface LinkKeys {
  driver: Buffer;
  tracking: Buffer;
}

export function deriveLinkKeys({ secretKey }: Pick<Config, 'secretKey'>): LinkKeys {
  return {
    driver: deriveKey(secretKey, 'driver links'),
    tracking: deriveKey(secretKey, 'tracking links'),
  };
}

/**
 * Returns the mark of an assignment as a UUID, or undefined if the work order has no driver at
 * work. A driver's link contains the mark. The link stops working when the work order ends or is
 * unassigned. It also stops working when a dispatcher assigns the work order again, even to the
 * same driver and truck.
 */
export function markAssignment({
  status,
  truck_id,
  driver_id,
  dispatch_time,
}: Assignment): string | undefined {
  if (!ACTIVE_STATUSES.includes(status) || truck_id === null) return undefined;
  return deriveUuid([truck_id, driver_id, dispatch_time && Date.parse(dispatch_time)]);
}

export function sealDriverLink(
  { driver }: LinkKeys,
  { tenantId, workOrderId }: LinkTarget,
  mark: string,
): string {
  return sealIdsRepeatably(driver, tenantId, workOrderId, mark);
}

/** Returns undefined if this deployment did not create the token as a driver's link. */
export function openDriverLink(
  { driver }: LinkKeys,
  token: string,
): (LinkTarget & { mark: string }) | undefined {
  const [tenantId, workOrderId, mark] = openAllIds(driver, token, 3) ?? [];
  if (tenantId === undefined || workOrderId === undefined || mark === undefined) return undefined;
  return { tenantId, workOrderId, mark };
}

export function sealTrackingLink({ tracking }: LinkKeys, { tenantId, workOrderId }: LinkTarget): string {
  return sealIdsRepeatably(tracking, tenantId, workOrderId);
}

/** Returns undefined if this deployment did not create the token as a tracking link. */
export function openTrackingLink({ tracking }: LinkKeys, token: string): LinkTarget | undefined {
  const ids = openIds(tracking, token);
  return ids && { tenantId: ids.tenantId, workOrderId: ids.id };
}
