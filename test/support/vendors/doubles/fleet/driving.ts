import type { Fleet } from './fleet.js';

/** A loop through Albany, NY, as corners. */
const CORNERS: readonly (readonly [number, number])[] = [
  [42.6526, -73.7562],
  [42.6652, -73.7747],
  [42.6841, -73.7841],
  [42.6918, -73.7539],
  [42.6711, -73.7391],
];
const STEPS_PER_LEG = 24;
const MILES_PER_DEGREE = 69;
/** What the odometers show when the demo starts. */
const START_MILES = 48_000;

/** The place on the loop after a number of steps, with the direction and the speed. */
export function findPlace(step: number, secondsPerStep: number) {
  const leg = Math.floor(step / STEPS_PER_LEG) % CORNERS.length;
  const [from, to] = [CORNERS[leg], CORNERS[(leg + 1) % CORNERS.length]] as [
    readonly [number, number],
    readonly [number, number],
  ];
  const share = (step % STEPS_PER_LEG) / STEPS_PER_LEG;
  const [north, east] = [to[0] - from[0], (to[1] - from[1]) * Math.cos((from[0] * Math.PI) / 180)];
  const miles = (Math.hypot(north, east) * MILES_PER_DEGREE) / STEPS_PER_LEG;
  return {
    place: [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share] as const,
    heading: ((Math.atan2(east, north) * 180) / Math.PI + 360) % 360,
    mph: Math.round((miles / secondsPerStep) * 36_000) / 10,
  };
}

/** Lets all vehicles of the fleets drive along the loop, until the process ends. */
export function startDriving(fleets: readonly Fleet[], everySeconds = 5): void {
  let step = 0;
  const odometers = new Map<string, number>();
  const drive = () => {
    step += 1;
    for (const fleet of fleets)
      for (const [index, { id }] of fleet.vehicles.entries()) {
        const { place, ...members } = findPlace(step + index * 17, everySeconds);
        const odometerMiles = (odometers.get(id) ?? START_MILES) + (members.mph * everySeconds) / 3600;
        odometers.set(id, odometerMiles);
        fleet.drive(id, place, { ...members, odometerMiles });
        // A cursor is a number of samples, so samples are never removed. A day takes some 5 MB.
      }
  };
  setInterval(drive, everySeconds * 1000).unref();
}

/** Adds vehicles and drivers such as a small tow company has. */
export function addDemoVehicles(fleet: Fleet): void {
  const vehicles = [
    { name: 'T-1', vin: '1FVACWDT39HAJ3496', make: 'Ford', model: 'F-450', year: '2021', pounds: 13_000 },
    { name: 'T-2', vin: '1M8GDM9AXKP042788', make: 'Hino', model: '258', year: '2020', pounds: 25_500 },
    { name: 'T-3', vin: '1XKWDB0X57J211825', make: 'Peterbilt', model: '389', year: '2019', pounds: 52_000 },
  ];
  fleet.addDriver({ name: 'Sam Rivera', phone: '(212) 555-0100' });
  fleet.addDriver({ name: 'Jo Park', phone: '2125550101' });
  for (const [index, vehicle] of vehicles.entries()) {
    const { id } = fleet.addVehicle(vehicle);
    const { place, ...members } = findPlace(index * 17, 5);
    fleet.drive(id, place, members);
  }
}
