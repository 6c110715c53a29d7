import { expect } from 'chai';
import { computeWaitForNextDay } from '../../../shared/resources/planned-messages/daily-mail-limit.js';

const DAY = 86_400;

describe('wait of mails over the daily limit', () => {
  /**
   * For a mail that is held at `second` of one day, returns the second of the next day at which it
   * becomes due.
   */
  const dueAt = (second: number) => second + computeWaitForNextDay(DAY - second) - DAY;

  it('held mails are due in the first hour of the next day, spread by the time of holding', () => {
    expect([0, DAY / 4, DAY / 2, DAY].map(dueAt)).to.deep.equal([0, 900, 1800, 3600]);
  });

  it('a mail that is held later is due later', () => {
    const dues = Array.from({ length: DAY / 60 }, (_, minute) => dueAt(minute * 60));
    expect(dues).to.deep.equal([...dues].sort((a, b) => a - b));
    expect(new Set(dues).size, 'different times for different minutes').to.equal(dues.length);
  });
});
