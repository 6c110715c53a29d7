import Joi from 'joi';
import type { OpenConnection, Page, PullStart } from './connection.js';

/** The stream that lists the vehicles which the vendor knows. */
export const VEHICLES_STREAM = 'vehicles';
/** The stream that lists the drivers whom the vendor knows. */
export const DRIVERS_STREAM = 'drivers';
/** The stream that reads the positions of the vehicles. */
export const POSITIONS_STREAM = 'positions';

/** Bounds of the interval between two reads of the positions, in seconds. */
export const MIN_POLL_SECONDS = 5;
export const MAX_POLL_SECONDS = 30;

/** The settings of every telematics connection. */
export const telematicsSettings = () => ({
  poll_seconds: Joi.number()
    .integer()
    .min(MIN_POLL_SECONDS)
    .max(MAX_POLL_SECONDS)
    .description('Seconds between two reads of the positions. Empty: the more open jobs, the more often'),
});

/** A vehicle as the vendor lists it. */
export interface ListedVehicle {
  externalId: string;
  name: string | null;
  vin: string | null;
  plate: string | null;
  make: string | null;
  model: string | null;
  year: number | null;
  /** The duty class that follows from the vehicle's weight; null if the vendor names no weight. */
  dutyClass: 'light' | 'medium' | 'heavy' | null;
}

/** A driver as the vendor lists them. */
export interface ListedDriver {
  externalId: string;
  name: string | null;
  phone: string | null;
}

/** A page of a vendor's list. */
export interface ListPage<Listed> {
  records: Listed[];
  /** Names the next page; null on the last one. */
  next: string | null;
}

/** The position of a vehicle at one time. */
export interface VehiclePosition {
  externalId: string;
  lat: number;
  lng: number;
  /** Degrees clockwise from north, from 0 to below 360. */
  heading: number | null;
  speedMph: number | null;
  /** RFC 3339: when the vehicle was there. */
  at: string;
}

/**
 * Where the reading of an odometer comes from: `obd` is read from the vehicle, and `gps` is what
 * the vendor calculates from positions.
 */
export const ODOMETER_SOURCES = ['obd', 'gps'] as const;
export type OdometerSource = (typeof ODOMETER_SOURCES)[number];

/** What the odometer of a vehicle showed at one time. */
export interface VehicleOdometer {
  externalId: string;
  miles: number;
  source: OdometerSource;
  /** RFC 3339 */
  at: string;
}

export interface PositionPage {
  positions: VehiclePosition[];
  odometers: VehicleOdometer[];
  cursor: string;
  /** True if the vendor has no newer positions now. */
  isLast: boolean;
}

/** One defect of an inspection at the vendor. */
export interface VehicleDefect {
  externalId: string;
  component: string;
  /** RFC 3339, or null while the defect is unresolved. */
  resolvedAt: string | null;
  resolvedBy: string | null;
}

/** The report of a driver or mechanic about a vehicle (DVIR). */
export interface VehicleInspection {
  /** The vendor's id of the inspected vehicle. */
  vehicle: string;
  /** The vendor's id of the driver who reports; null if it is a mechanic, or if none is named. */
  driver: string | null;
  kind: 'pre_trip' | 'post_trip';
  /** `resolved` means that the report was unsafe, and that the vehicle may be driven again. */
  verdict: 'safe' | 'unsafe' | 'resolved';
  defects: VehicleDefect[];
  odometerMiles: number | null;
  notes: string | null;
  submittedAt: string;
  /** RFC 3339: the last change of the report. */
  updatedAt: string;
}

/** Reads vehicles, drivers, positions and inspections at one vendor. Keeps no state. */
export interface TelematicsAdapter {
  /** @param next names the page; null for the first one */
  listVehicles(connection: OpenConnection, next: string | null): Promise<ListPage<ListedVehicle>>;
  /** @throws {VendorError} `http_403` if the credentials may not read drivers */
  listDrivers(connection: OpenConnection, next: string | null): Promise<ListPage<ListedDriver>>;
  /**
   * Reads the positions that are newer than the cursor, and the readings of odometers that come
   * with them. Without a cursor, or if the vendor no
   * longer accepts it, reads the latest position of each vehicle. May return a position again, but
   * not one whose time is ahead of the clock: the worker would take it for a new one.
   */
  pullPositions(connection: OpenConnection, cursor: string | null): Promise<PositionPage>;
  pullInspections(connection: OpenConnection, from: PullStart): Promise<Page<VehicleInspection>>;
}
