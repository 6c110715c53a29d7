/** A vehicle of a fleet. Each double shows it in the form of its vendor. */
export interface FleetVehicle {
  id: string;
  name: string;
  vin?: string;
  plate?: string;
  make?: string;
  model?: string;
  year?: string;
  pounds?: number;
  createdAt: string;
  updatedAt: string;
}

/** A driver of a fleet. Each double shows it in the form of its vendor. */
export interface FleetDriver {
  id: string;
  name: string;
  phone?: string;
  createdAt: string;
  updatedAt: string;
}

export interface FleetSample {
  vehicleId: string;
  time: string;
  lat: number;
  lng: number;
  heading: number;
  mph: number;
  /** What the vehicle's own odometer shows. */
  odometerMiles?: number;
  /** What the vendor calculates. */
  calculatedMiles?: number;
}

export interface FleetDefect {
  id: string;
  comment: string;
  createdAt: string;
  updatedAt: string;
  resolvedAt?: string;
}

export interface FleetReport {
  id: string;
  vehicleId: string;
  /** The driver who reports. Without one, a mechanic does. */
  driverId?: string;
  kind: 'pre_trip' | 'post_trip';
  verdict: 'safe' | 'unsafe' | 'resolved';
  defects: FleetDefect[];
  submittedAt: string;
  updatedAt: string;
  odometerMiles: number;
  mechanicNotes?: string;
}

/** The mechanic who resolves reports. */
export const MECHANIC = 'Jane Mechanic';
/** The name of the only type of defects. */
export const DEFECT_LABEL = 'Brakes';

let nextId = 281_474_976_700_000;

/** The fleet of an account at a telematics vendor: its vehicles, drivers, positions and reports. */
export class Fleet {
  readonly id = String(nextId++);
  readonly vehicles: FleetVehicle[] = [];
  readonly drivers: FleetDriver[] = [];
  /** All samples in the order in which the vendor received them. */
  readonly samples: FleetSample[] = [];
  readonly reports: FleetReport[] = [];
  /** The webhook that a person has entered: its address and secret. */
  webhook: { url: string; token: string } | undefined;

  constructor(
    public token: string,
    readonly name = 'Hudson Fleet',
  ) {}

  addVehicle(members: Partial<FleetVehicle> = {}): FleetVehicle {
    const now = new Date().toISOString();
    const id = String(nextId++);
    const vehicle = { id, name: `T-${id}`, createdAt: now, updatedAt: now, ...members };
    this.vehicles.push(vehicle);
    return vehicle;
  }

  addDriver(members: Partial<FleetDriver> = {}): FleetDriver {
    const now = new Date().toISOString();
    const id = String(nextId++);
    const driver = { id, name: `Driver ${id}`, createdAt: now, updatedAt: now, ...members };
    this.drivers.push(driver);
    return driver;
  }

  /** Reports a position of a vehicle. `secondsAgo` is its age. */
  drive(
    vehicleId: string,
    [lat, lng]: readonly [number, number],
    { secondsAgo = 0, ...members }: Partial<FleetSample> & { secondsAgo?: number } = {},
  ): FleetSample {
    const time = new Date(Date.now() - secondsAgo * 1000).toISOString();
    const sample = { vehicleId, time, lat, lng, heading: 90, mph: 31.5, ...members };
    this.samples.push(sample);
    return sample;
  }

  /** Submits a report, by default an unsafe one with one defect for each comment. */
  submitReport(
    vehicleId: string,
    { comments = [] as string[], ...members }: Partial<FleetReport> & { comments?: string[] } = {},
  ): FleetReport {
    const now = new Date().toISOString();
    const report: FleetReport = {
      id: String(nextId++),
      vehicleId,
      kind: 'pre_trip',
      verdict: 'unsafe',
      defects: comments.map((comment) => ({
        id: String(nextId++),
        comment,
        createdAt: now,
        updatedAt: now,
      })),
      submittedAt: now,
      updatedAt: now,
      odometerMiles: 100,
      ...members,
    };
    this.reports.push(report);
    return report;
  }

  /** A mechanic resolves all defects of a report. */
  resolve(report: FleetReport): void {
    const now = new Date().toISOString();
    for (const defect of report.defects) Object.assign(defect, { updatedAt: now, resolvedAt: now });
    Object.assign(report, { verdict: 'resolved', updatedAt: now });
  }
}
