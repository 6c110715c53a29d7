import { randomUUID } from 'node:crypto';

/** A vehicle with the fields that Samsara returns. */
export interface DoubleVehicle {
  id: string;
  name: string;
  vin?: string;
  licensePlate?: string;
  make?: string;
  model?: string;
  year?: string;
  vehicleWeightInPounds?: number;
  createdAtTime: string;
  updatedAtTime: string;
}

export interface GpsSample {
  vehicleId: string;
  time: string;
  latitude: number;
  longitude: number;
  headingDegrees: number;
  speedMilesPerHour: number;
}

export interface DoubleDvir {
  id: string;
  type: 'preTrip' | 'postTrip' | 'mechanic' | 'unspecified';
  safetyStatus: 'safe' | 'unsafe' | 'resolved' | 'unknown';
  vehicle: { id: string };
  defectIds: string[];
  dvirSubmissionBeginTime: string;
  dvirSubmissionTime: string;
  updatedAtTime: string;
  odometerMeters: number;
  authorSignature: { signatoryUser: { id: string }; signedAtTime: string; type: 'driver' };
}

export interface DoubleDefect {
  id: string;
  dvirId: string;
  comment: string;
  defectTypeId: string;
  isResolved: boolean;
  createdAtTime: string;
  updatedAtTime: string;
  resolvedAtTime?: string;
  resolvedBy?: { id: string; name: string; type: 'mechanic' };
  vehicle: { id: string };
}

/** The id of the only type of defects. */
export const DEFECT_TYPE = { id: '25d6151e-29b5-453e-875a-7c5425332e09', label: 'Brakes' };

let nextId = 281_474_976_700_000;

/** An organisation at Samsara: its vehicles, positions and reports. */
export class SamsaraOrganisation {
  readonly id = String(nextId++);
  readonly vehicles: DoubleVehicle[] = [];
  /** All samples in the order in which Samsara received them. A cursor is a number of samples. */
  readonly samples: GpsSample[] = [];
  readonly dvirs: DoubleDvir[] = [];
  readonly defects: DoubleDefect[] = [];
  /** The webhook that a person has entered: address and secret in base64. */
  webhook: { url: string; token: string } | undefined;

  constructor(
    readonly apiToken: string,
    readonly name = 'Hudson Fleet',
  ) {}

  addVehicle(members: Partial<DoubleVehicle> = {}): DoubleVehicle {
    const now = new Date().toISOString();
    const id = String(nextId++);
    const vehicle = { id, name: `T-${id}`, createdAtTime: now, updatedAtTime: now, ...members };
    this.vehicles.push(vehicle);
    return vehicle;
  }

  /** Reports a position of a vehicle. `secondsAgo` is its age. */
  drive(
    vehicleId: string,
    [latitude, longitude]: readonly [number, number],
    { secondsAgo = 0, ...members }: Partial<GpsSample> & { secondsAgo?: number } = {},
  ): GpsSample {
    const time = new Date(Date.now() - secondsAgo * 1000).toISOString();
    const sample = {
      vehicleId,
      time,
      latitude,
      longitude,
      headingDegrees: 90,
      speedMilesPerHour: 31.5,
      ...members,
    };
    this.samples.push(sample);
    return sample;
  }

  submitDvir(
    vehicleId: string,
    { comments = [] as string[], ...members }: Partial<DoubleDvir> & { comments?: string[] } = {},
  ): DoubleDvir {
    const now = new Date().toISOString();
    const id = String(nextId++);
    const defects = comments.map((comment) => ({
      id: randomUUID(),
      dvirId: id,
      comment,
      defectTypeId: DEFECT_TYPE.id,
      isResolved: false,
      createdAtTime: now,
      updatedAtTime: now,
      vehicle: { id: vehicleId },
    }));
    this.defects.push(...defects);
    const dvir: DoubleDvir = {
      id,
      type: 'preTrip',
      safetyStatus: 'unsafe',
      vehicle: { id: vehicleId },
      defectIds: defects.map((defect) => defect.id),
      dvirSubmissionBeginTime: now,
      dvirSubmissionTime: now,
      updatedAtTime: now,
      odometerMeters: 160_934,
      authorSignature: { signatoryUser: { id: '938172' }, signedAtTime: now, type: 'driver' },
      ...members,
    };
    this.dvirs.push(dvir);
    return dvir;
  }

  /** A mechanic resolves all defects of a report. */
  resolve(dvir: DoubleDvir): void {
    const now = new Date().toISOString();
    for (const defect of this.defects.filter(({ dvirId }) => dvirId === dvir.id))
      Object.assign(defect, {
        isResolved: true,
        updatedAtTime: now,
        resolvedAtTime: now,
        resolvedBy: { id: '8172', name: 'Jane Mechanic', type: 'mechanic' },
      });
    Object.assign(dvir, { safetyStatus: 'resolved', updatedAtTime: now });
  }
}
