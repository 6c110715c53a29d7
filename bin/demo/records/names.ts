/** The region where a demo company works. All companies and people of the demo are made up. */
export interface Market {
  state: string;
  areaCodes: readonly string[];
  /** Towns with their ZIP codes. */
  towns: readonly (readonly [name: string, zip: string])[];
  streets: readonly string[];
  highways: readonly string[];
  /** Pickup locations lie around this point. */
  center: { lat: number; lng: number };
}

export const NEW_YORK: Market = {
  state: 'NY',
  areaCodes: ['212', '718', '914'],
  towns: [
    ['Yonkers', '10701'],
    ['White Plains', '10601'],
    ['New Rochelle', '10801'],
    ['Mount Vernon', '10550'],
    ['Tarrytown', '10591'],
    ['Bronx', '10451'],
    ['Queens', '11101'],
    ['Brooklyn', '11201'],
  ],
  streets: [
    'Riverdale Ave',
    'Broadway',
    'Central Park Ave',
    'Nepperhan Ave',
    'Main St',
    'Warburton Ave',
    'Ashburton Ave',
  ],
  highways: [
    'I-87 N at exit 4',
    'I-95 S at exit 15',
    'Saw Mill Pkwy at Executive Blvd',
    'Hutchinson River Pkwy at exit 11',
  ],
  center: { lat: 40.94, lng: -73.87 },
};

export const TEXAS: Market = {
  state: 'TX',
  areaCodes: ['214', '469', '817'],
  towns: [
    ['Dallas', '75201'],
    ['Fort Worth', '76102'],
    ['Arlington', '76010'],
    ['Irving', '75060'],
    ['Garland', '75040'],
    ['Plano', '75074'],
    ['Mesquite', '75149'],
    ['Grand Prairie', '75050'],
  ],
  streets: [
    'Commerce St',
    'Lamar St',
    'Camp Bowie Blvd',
    'Belt Line Rd',
    'Pioneer Pkwy',
    'Main St',
    'Buckner Blvd',
  ],
  highways: [
    'I-35E N at exit 430',
    'I-30 W at exit 38',
    'US-75 S at Mockingbird Ln',
    'Loop 820 at Rufe Snow Dr',
  ],
  center: { lat: 32.78, lng: -96.97 },
};

/**
 * The customers' names and company types. `*` becomes a town. Every company type in
 * docs/decisions.md §2 occurs.
 */
export const CUSTOMER_NAMES: readonly (readonly [name: string, type: string])[] = [
  ['* Auto Club', 'motor_club'],
  ['Meridian Road Assistance', 'motor_club'],
  ['Open Road Motor Club', 'motor_club'],
  ['Beacon Mutual Insurance', 'insurance'],
  ['Keystone Casualty', 'insurance'],
  ['* Motors', 'dealership'],
  ['Palisade Auto Group', 'dealership'],
  ['Precision Auto Repair of *', 'repair_shop'],
  ['* Transmission & Brake', 'repair_shop'],
  ['* Collision Center', 'body_shop'],
  ['Prestige Auto Body', 'body_shop'],
  ['Blue Line Couriers', 'fleet'],
  ['* School Bus Company', 'fleet'],
  ['Northstar Beverage Distributing', 'fleet'],
  ['* Police Department', 'police'],
  ['County Sheriff, * Precinct', 'police'],
  ['City of *', 'municipality'],
  ['Maple Court Apartments', 'property_management'],
  ['* Plaza Management', 'property_management'],
  ['Quickway Car Rental', 'rental'],
  ['Crossland Auto Transport', 'transport'],
  ['* Auto Auction', 'auction'],
  ['Walk-in customers', 'cash'],
  ['* Volunteer Fire Company', 'other'],
  ['Roadside Partners Network', 'motor_club'],
  ['Sunrise Fleet Leasing', 'fleet'],
];

/** `wmi` is the part of the VIN that identifies the manufacturer. */
export const VEHICLE_MODELS: readonly (readonly [
  make: string,
  model: string,
  wmi: string,
  duty: 'light' | 'medium' | 'heavy',
])[] = [
  ['Honda', 'Accord', '1HG', 'light'],
  ['Honda', 'CR-V', '5J6', 'light'],
  ['Toyota', 'Camry', '4T1', 'light'],
  ['Toyota', 'RAV4', 'JTM', 'light'],
  ['Ford', 'F-150', '1FT', 'light'],
  ['Ford', 'Escape', '1FM', 'light'],
  ['Chevrolet', 'Silverado 1500', '1GC', 'light'],
  ['Chevrolet', 'Malibu', '1G1', 'light'],
  ['Nissan', 'Altima', '1N4', 'light'],
  ['Jeep', 'Grand Cherokee', '1C4', 'light'],
  ['Subaru', 'Outback', '4S4', 'light'],
  ['Hyundai', 'Elantra', 'KMH', 'light'],
  ['BMW', 'X5', '5UX', 'light'],
  ['Tesla', 'Model 3', '5YJ', 'light'],
  ['Ford', 'Transit 350', '1FB', 'medium'],
  ['Isuzu', 'NPR-HD', '54D', 'medium'],
  ['Freightliner', 'Cascadia', '3AK', 'heavy'],
  ['Kenworth', 'T680', '1XK', 'heavy'],
];

export const FIRST_NAMES = [
  'Alex',
  'Brianna',
  'Carlos',
  'Denise',
  'Elena',
  'Frank',
  'Grace',
  'Hassan',
  'Irene',
  'Jamal',
  'Keiko',
  'Luis',
];
export const LAST_NAMES = [
  'Alvarez',
  'Bennett',
  'Cho',
  'Delgado',
  'Edwards',
  'Fischer',
  'Greene',
  'Huang',
  'Okafor',
  'Patel',
  'Rossi',
  'Ward',
];

export const WORK_ORDER_NOTES = [
  'Keys under the driver-side mat.',
  'Low clearance garage, 6 ft 8 in.',
  'Customer waits at the vehicle.',
  'All-wheel drive: flatbed only.',
  'Front wheels locked, dollies needed.',
  'Call 10 minutes before arrival.',
  'Vehicle is in park and does not shift.',
];

export const INVOICE_NOTES = [
  'Thank you for your business.',
  'Photos of the vehicle before hook-up are on file.',
  'Rate as agreed for account customers.',
  'Gate fee applies to releases after 6 pm.',
];
