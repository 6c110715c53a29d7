import { expect } from 'chai';
import {
  addKnownAddress,
  hashNetwork,
  isKnownAddress,
  type KnownAddresses,
} from '../../../shared/resources/sessions/known-addresses.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const NOW = Date.parse('2026-11-23T12:00:00Z');

describe('known sign-in addresses', () => {
  it('an address is known for 90 days after its last sign-in and then deleted', () => {
    const known = addKnownAddress({}, 'home', NOW);
    expect(isKnownAddress(known, 'home', NOW + 89 * DAY_MS)).to.equal(true);
    expect(isKnownAddress(known, 'home', NOW + 91 * DAY_MS)).to.equal(false);
    expect(isKnownAddress(known, 'elsewhere', NOW)).to.equal(false);
    const renewed = addKnownAddress(known, 'home', NOW + 89 * DAY_MS);
    expect(isKnownAddress(renewed, 'home', NOW + 91 * DAY_MS)).to.equal(true);
    expect(addKnownAddress(known, 'office', NOW + 91 * DAY_MS)).to.have.all.keys('office');
  });

  it('only the newest 20 addresses are known', () => {
    let known: KnownAddresses = {};
    for (let nth = 0; nth < 25; nth += 1) known = addKnownAddress(known, `m${nth}`, NOW + nth);
    known = addKnownAddress(known, 'm6', NOW + 100);
    known = addKnownAddress(known, 'new', NOW + 101);
    const kept = Array.from({ length: 19 }, (_, nth) => `m${nth + 6}`);
    expect(known).to.have.all.keys(...kept, 'new');
  });

  it('addresses are stored as hashes that differ between people and between deployments', () => {
    const network = '192.0.2.9';
    const [key, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const mark = hashNetwork(key, { userId: 'u1', network });
    expect(hashNetwork(key, { userId: 'u1', network })).to.equal(mark);
    expect(hashNetwork(key, { userId: 'u2', network })).to.not.equal(mark);
    expect(hashNetwork(other, { userId: 'u1', network })).to.not.equal(mark);
  });
});
