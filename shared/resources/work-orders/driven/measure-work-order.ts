import type { DrivenMiles, DrivenSource } from './command.js';
import {
  type DrivePosition,
  type DriveWindow,
  hasStoodNear,
  type MeasuredDrive,
  measureDrive,
} from './measure-drive.js';
import { measureByOdometer } from './measure-odometer.js';

/** The times of a completed or cancelled work order, in ms since 1970. */
export interface WorkOrderTimes {
  dispatchedMs: number | null;
  endedMs: number | null;
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
export function listWindows({ dispatchedMs, endedMs, loadedMs, unloadedMs }: WorkOrderTimes): {
  whole: DriveWindow | undefined;
  loaded: DriveWindow | undefined;
} {
  return { whole: buildWindow(dispatchedMs, endedMs), loaded: buildWindow(loadedMs, unloadedMs) };
}

function buildWindow(fromMs: number | null, untilMs: number | null): DriveWindow | undefined {
  if (fromMs === null || untilMs === null) return undefined;
  const lengthMs = untilMs - fromMs;
  return lengthMs > 0 && lengthMs <= MAX_WINDOW_MS ? { fromMs, untilMs } : undefined;
}

/** @param positions oldest first */
export function measureWorkOrder(positions: readonly DrivePosition[], times: WorkOrderTimes): DrivenMiles {
  const { whole, loaded } = listWindows(times);
  const all = whole && measure(positions, whole);
  let tow = loaded && measure(positions, loaded);
  // The whole drive may have no usable reading near its ends. Its loaded part is not longer.
  if (tow?.source === 'odometer' && all?.source === 'positions' && (tow.miles ?? 0) > (all.miles ?? 0))
    tow = loaded && measureByPositions(positions, loaded);
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
    source: all?.source ?? null,
    loaded_miles: isTow ? (tow?.miles ?? null) : null,
    loaded_coverage: tow?.coverage ?? null,
    loaded_source: isTow ? (tow?.source ?? null) : null,
  };
}

interface Measured extends MeasuredDrive {
  /** Null if there is no figure. */
  source: DrivenSource | null;
}

function measureByPositions(positions: readonly DrivePosition[], window: DriveWindow): Measured {
  const measured = measureDrive(positions, window);
  return { ...measured, source: measured.miles === null ? null : 'positions' };
}

/** Without a figure by positions, nothing shows that the odometer is right. */
function measure(positions: readonly DrivePosition[], window: DriveWindow): Measured {
  const measured = measureByPositions(positions, window);
  if (measured.miles === null) return measured;
  const miles = measureByOdometer(positions, window, measured.miles);
  return miles === null ? measured : { ...measured, miles, source: 'odometer' };
}
