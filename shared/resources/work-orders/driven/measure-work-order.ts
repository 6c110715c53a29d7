import type { DrivenMiles } from './command.js';
import { type DrivePosition, type DriveWindow, hasStoodNear, measureDrive } from './measure-drive.js';

/** The times of a completed work order, in ms since 1970. */
export interface WorkOrderTimes {
  dispatchedMs: number | null;
  completedMs: number | null;
  /** The first step hooked or towing. */
  loadedMs: number | null;
  /** The first step at_destination or cleared after that. */
  unloadedMs: number | null;
}

/** A longer window is not measured: it has too many positions, and no tow takes that long. */
const MAX_WINDOW_MS = 24 * 3_600_000;
/** Less is no tow: the driver logged the steps one after the other, before or after the drive. */
const MIN_LOADED_MILES = 0.3;

/** Returns the windows of a work order that can be measured: all of it, and the loaded part. */
export function listWindows({ dispatchedMs, completedMs, loadedMs, unloadedMs }: WorkOrderTimes): {
  whole: DriveWindow | undefined;
  loaded: DriveWindow | undefined;
} {
  return { whole: buildWindow(dispatchedMs, completedMs), loaded: buildWindow(loadedMs, unloadedMs) };
}

function buildWindow(fromMs: number | null, untilMs: number | null): DriveWindow | undefined {
  if (fromMs === null || untilMs === null) return undefined;
  const lengthMs = untilMs - fromMs;
  return lengthMs > 0 && lengthMs <= MAX_WINDOW_MS ? { fromMs, untilMs } : undefined;
}

/** @param positions oldest first */
export function measureWorkOrder(positions: readonly DrivePosition[], times: WorkOrderTimes): DrivenMiles {
  const { whole, loaded } = listWindows(times);
  const all = whole && measureDrive(positions, whole);
  const tow = loaded && measureDrive(positions, loaded);
  // A truck stands while a vehicle is hooked and unloaded. A step in the middle of the drive was
  // logged too early or too late.
  const isTow =
    loaded !== undefined &&
    (tow?.miles ?? 0) >= MIN_LOADED_MILES &&
    hasStoodNear(positions, loaded.fromMs) &&
    hasStoodNear(positions, loaded.untilMs);
  return {
    miles: all?.miles ?? null,
    coverage: all?.coverage ?? 0,
    loaded_miles: isTow ? (tow?.miles ?? null) : null,
    loaded_coverage: tow?.coverage ?? null,
  };
}
