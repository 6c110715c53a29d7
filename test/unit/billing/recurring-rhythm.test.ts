import { expect } from 'chai';
import fc from 'fast-check';
import { findNextDate, type Rhythm } from '../../../shared/resources/recurring-invoices/rhythm.js';

const MONTHS = { month: 1, quarter: 3 } as const;

/** Lists the first dates of a rhythm, each found from the date before it. */
function listDates(rhythm: Rhythm, count: number, after: string): string[] {
  const dates: string[] = [];
  for (let last: string | undefined = after; dates.length < count; ) {
    last = findNextDate(rhythm, last);
    if (last === undefined) break;
    dates.push(last);
  }
  return dates;
}

/**
 * Adds months as a person would: to the same day of the month, or to the last day of a shorter
 * month.
 */
function addMonthsByCalendar(anchor: string, months: number): string {
  const [year, month, day] = anchor.split('-').map(Number) as [number, number, number];
  const first = new Date(Date.UTC(year, month - 1 + months, 1));
  const end = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0));
  const wanted = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth(), day));
  return (wanted < end ? wanted : end).toISOString().slice(0, 10);
}

const days = fc
  .date({ min: new Date('1990-01-01'), max: new Date('2150-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

describe('the rhythm of recurring invoices', () => {
  const cases: [Rhythm, string[]][] = [
    [
      { every: 'month', anchor_date: '2026-01-31' },
      ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31'],
    ],
    [{ every: 'month', anchor_date: '2027-12-30' }, ['2027-12-30', '2028-01-30', '2028-02-29', '2028-03-30']],
    [
      { every: 'quarter', anchor_date: '2026-11-30' },
      ['2026-11-30', '2027-02-28', '2027-05-30', '2027-08-30', '2027-11-30', '2028-02-29'],
    ],
    [{ every: 'week', anchor_date: '2028-02-22' }, ['2028-02-22', '2028-02-29', '2028-03-07', '2028-03-14']],
    // The clocks change on 8 March and 1 November 2026 in New York.
    [{ every: 'week', anchor_date: '2026-03-01' }, ['2026-03-01', '2026-03-08', '2026-03-15']],
    [{ every: 'month', anchor_date: '9999-11-30' }, ['9999-11-30', '9999-12-30']],
    [{ every: 'week', anchor_date: '9999-12-20' }, ['9999-12-20', '9999-12-27']],
  ];
  for (const [rhythm, expected] of cases) {
    it(`every ${rhythm.every} from ${rhythm.anchor_date} gives ${expected.join(', ')}`, () => {
      const count = rhythm.anchor_date.startsWith('9999') ? expected.length + 1 : expected.length;
      expect(listDates(rhythm, count, '0001-01-01')).to.deep.equal(expected);
    });
  }

  it('the nth date of any anchor is the anchor plus n months or quarters, or the end of a shorter month', () => {
    fc.assert(
      fc.property(days, fc.constantFrom('month', 'quarter'), fc.nat(60), (anchor_date, every, from) => {
        const expected = Array.from({ length: 30 }, (_, n) =>
          addMonthsByCalendar(anchor_date, (from + n) * MONTHS[every]),
        );
        const before =
          from === 0 ? '1900-01-01' : addMonthsByCalendar(anchor_date, (from - 1) * MONTHS[every]);
        expect(listDates({ every, anchor_date }, 30, before)).to.deep.equal(expected);
      }),
    );
  });

  it('the next date after any day is the first of the rhythm that is later', () => {
    fc.assert(
      fc.property(days, days, fc.constantFrom('week', 'month', 'quarter'), (anchor_date, after, every) => {
        const rhythm = { every, anchor_date };
        const next = findNextDate(rhythm, after) as string;
        expect(next > after, `${next} is after ${after}`).to.equal(true);
        const dayBefore = new Date(Date.parse(next) - 86_400_000).toISOString().slice(0, 10);
        expect(findNextDate(rhythm, dayBefore)).to.equal(next);
        if (anchor_date <= after) {
          const longestMs = { week: 7, month: 31, quarter: 92 }[every] * 86_400_000;
          expect(Date.parse(next) - Date.parse(after)).to.be.at.most(longestMs);
        }
      }),
    );
  });
});
