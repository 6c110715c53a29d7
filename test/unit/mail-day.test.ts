import { expect } from 'chai';
import { waitForNextDay } from '../../shared/resources/messages/mail-day.js';

const DAY = 86_400;

describe('the time until a mail that a day held back is due', () => {
  /** Seconds of the next day at which something is due that was held at this second of the day. */
  const dueAt = (second: number) => second + waitForNextDay(DAY - second) - DAY;

  it('ends in the first hour of the next day, spread over it by the time of holding', () => {
    expect([0, DAY / 4, DAY / 2, DAY].map(dueAt)).to.deep.equal([0, 900, 1800, 3600]);
  });

  it('ends no earlier for what was held later', () => {
    const dues = Array.from({ length: DAY / 60 }, (_, minute) => dueAt(minute * 60));
    expect(dues).to.deep.equal([...dues].sort((a, b) => a - b));
    expect(new Set(dues).size, 'different times for different minutes').to.equal(dues.length);
  });
});
