import { createHash } from 'node:crypto';
import type { Transaction } from '../../shared/platform/postgres/database.js';
import { drawTruckLogo } from './logo.js';
import { DEMO_PROFILES, type DemoProfile } from './records/tenants.js';

interface Letterhead {
  address: string;
  city: string;
  state: string;
  zip: string;
  phone: string;
  remittance_text: string;
  color: readonly [number, number, number];
}

/**
 * Letterheads by the company's `slug`. The phone numbers 555-0100 to 555-0199 and the domain
 * .example belong to no one.
 */
const LETTERHEADS: Readonly<Record<string, Letterhead>> = {
  'hudson-towing': {
    address: '48 Warren Street',
    city: 'Hudson',
    state: 'NY',
    zip: '12534',
    phone: '(518) 555-0142',
    remittance_text:
      'Checks: payable to Hudson Towing & Recovery, 48 Warren Street, Hudson, NY 12534.\nCard: call (518) 555-0142, Monday to Friday, 8 to 5.',
    color: [26, 79, 139],
  },
  'lone-star-recovery': {
    address: '2200 Guadalupe Street',
    city: 'Austin',
    state: 'TX',
    zip: '78705',
    phone: '(512) 555-0177',
    remittance_text:
      'Checks: payable to Lone Star Recovery, 2200 Guadalupe Street, Austin, TX 78705.\nCard: call (512) 555-0177, day and night.',
    color: [160, 40, 30],
  },
};

/**
 * Gives each account of the demo, and its sandbox, the address and the logo that its invoices show.
 */
export async function insertDemoLetterheads(tx: Transaction): Promise<void> {
  for (const profile of DEMO_PROFILES) await insertLetterhead(tx, profile);
}

async function insertLetterhead(tx: Transaction, { slug, name, pair }: DemoProfile): Promise<void> {
  const letterhead = LETTERHEADS[slug];
  if (!letterhead) return;
  const { address, city, state, zip, phone, remittance_text: remittance, color } = letterhead;
  const ids = [pair.live, pair.sandbox];
  await tx.query({
    text: `update tenants set business_name = $2, address = $3, city = $4, state = $5, zip = $6, phone = $7, email = $8, remittance_text = $9
           where tenant_id = any($1::uuid[])`,
    values: [ids, name, address, city, state, zip, phone, `billing@${slug}.example`, remittance],
  });
  const logo = drawTruckLogo(color);
  await tx.query({
    text: `insert into account_logos (tenant_id, content_type, width, height, sha256, data)
           select id, 'image/png', 240, 120, $2, $3 from unnest($1::uuid[]) id`,
    values: [ids, createHash('sha256').update(logo).digest('hex'), logo],
  });
}
