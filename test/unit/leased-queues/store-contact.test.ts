import { expect } from 'chai';
import { StoreContact } from '../../../workers/leased-queues/store-contact.js';

const ANSWER_INTERVAL_MS = 4000;

/** Records an answer every four seconds, from `start` up to and including `end`. */
function answerUntil(contact: StoreContact, start: number, end: number): void {
  for (let now = start; now <= end; now += ANSWER_INTERVAL_MS) contact.noteAnswer(now);
}

describe('store contact', () => {
  it('a process that starts may take ended leases at once', () => {
    expect(new StoreContact(1000).mayTakeEndedLeases(1000)).to.equal(true);
  });

  it('ended leases may be taken while PostgreSQL answers regularly', () => {
    const contact = new StoreContact(0);
    answerUntil(contact, 4000, 60_000);
    expect(contact.mayTakeEndedLeases(63_000)).to.equal(true);
  });

  it('no ended lease may be taken while PostgreSQL has not answered for a while', () => {
    const contact = new StoreContact(0);
    answerUntil(contact, 4000, 20_000);
    expect(contact.mayTakeEndedLeases(28_000)).to.equal(true);
    expect(contact.mayTakeEndedLeases(28_001)).to.equal(false);
  });

  it('after an outage, the other processes get six seconds to renew their leases', () => {
    const contact = new StoreContact(0);
    answerUntil(contact, 4000, 20_000);
    contact.noteAnswer(40_000);
    contact.noteAnswer(44_000);
    expect(contact.mayTakeEndedLeases(46_000)).to.equal(false);
    expect(contact.mayTakeEndedLeases(46_001)).to.equal(true);
  });

  it('a pause shorter than an outage gives no grace', () => {
    const contact = new StoreContact(0);
    contact.noteAnswer(8000);
    expect(contact.mayTakeEndedLeases(8000)).to.equal(true);
  });
});
