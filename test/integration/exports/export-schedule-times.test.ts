import { expect } from 'chai';
import pg from 'pg';
import { nextScheduleTimeSql, runTimesSql } from '../../../shared/resources/export-schedules/times.js';
import { createDatabase } from '../../support/stores.js';

const ROW =
  'jsonb_to_record($1::jsonb) as s(cadence text, hour smallint, weekday text, day smallint, next_run_at timestamptz)';

interface Timing {
  cadence: 'daily' | 'weekly' | 'monthly';
  hour: number;
  weekday?: string;
  day?: number;
}

describe('export schedule times', () => {
  let client: pg.Client;

  before(async () => {
    client = new pg.Client({ connectionString: await createDatabase() });
    await client.connect();
    // The session's time zone must not affect the computed times.
    await client.query("set time zone 'Pacific/Auckland'");
  });
  after(() => client.end());

  /** Computes `count` scheduled times after `after`, each from the time before it. */
  async function computeTimesAfter(
    timing: Timing,
    zone: string,
    { after, count }: { after: string; count: number },
  ) {
    const times: string[] = [];
    for (let at = after; times.length < count; times.push(at)) {
      const text = `select ${nextScheduleTimeSql('s', '$2::text', '$3::timestamptz')} as at from ${ROW}`;
      const { rows } = await client.query<{ at: Date }>(text, [JSON.stringify(timing), zone, at]);
      at = rows[0]?.at.toISOString().replace(':00.000Z', 'Z') as string;
    }
    return times;
  }

  const daily = (hour: number): Timing => ({ cadence: 'daily', hour });
  const cases: [string, Timing, string, string, string[]][] = [
    [
      'daily in Berlin, at an hour that spring skips: one hour later',
      daily(2),
      'Europe/Berlin',
      '2026-03-28T00:30Z',
      ['2026-03-28T01:00Z', '2026-03-29T01:00Z', '2026-03-30T00:00Z'],
    ],
    [
      'daily in Berlin, at an hour that autumn repeats: one run',
      daily(2),
      'Europe/Berlin',
      '2026-10-23T12:00Z',
      ['2026-10-24T00:00Z', '2026-10-25T01:00Z', '2026-10-26T01:00Z'],
    ],
    [
      'daily in New York, at an hour that spring skips: one hour later',
      daily(2),
      'America/New_York',
      '2026-03-07T00:00Z',
      ['2026-03-07T07:00Z', '2026-03-08T07:00Z', '2026-03-09T06:00Z'],
    ],
    [
      'daily in New York, at an hour that autumn repeats: one run',
      daily(1),
      'America/New_York',
      '2026-10-31T00:00Z',
      ['2026-10-31T05:00Z', '2026-11-01T06:00Z', '2026-11-02T06:00Z'],
    ],
    [
      'daily at the default hour, before and after clocks change',
      daily(4),
      'Europe/Berlin',
      '2026-03-28T00:00Z',
      ['2026-03-28T03:00Z', '2026-03-29T02:00Z', '2026-03-30T02:00Z'],
    ],
    [
      'daily in Apia, where one date is missing: one run for that date and the next',
      daily(4),
      'Pacific/Apia',
      '2011-12-29T00:00Z',
      ['2011-12-29T14:00Z', '2011-12-30T14:00Z', '2011-12-31T14:00Z'],
    ],
    [
      'weekly on Sundays, across a change of clocks',
      { cadence: 'weekly', hour: 2, weekday: 'sunday' },
      'Europe/Berlin',
      '2026-03-16T00:00Z',
      ['2026-03-22T01:00Z', '2026-03-29T01:00Z', '2026-04-05T00:00Z'],
    ],
    [
      'weekly, starting exactly at a run time: the next run is a week later',
      { cadence: 'weekly', hour: 4, weekday: 'monday' },
      'UTC',
      '2026-11-23T04:00Z',
      ['2026-11-30T04:00Z'],
    ],
    [
      'monthly on the 31st: on the last day of shorter months',
      { cadence: 'monthly', hour: 0, day: 31 },
      'Europe/Berlin',
      '2026-01-15T00:00Z',
      [
        '2026-01-30T23:00Z',
        '2026-02-27T23:00Z',
        '2026-03-30T22:00Z',
        '2026-04-29T22:00Z',
        '2026-05-30T22:00Z',
      ],
    ],
    [
      'monthly on the 29th, in a leap year and after',
      { cadence: 'monthly', hour: 12, day: 29 },
      'UTC',
      '2028-02-01T00:00Z',
      ['2028-02-29T12:00Z', '2028-03-29T12:00Z'],
    ],
    [
      'monthly on the first, across the new year',
      { cadence: 'monthly', hour: 23, day: 1 },
      'America/New_York',
      '2026-12-02T04:00Z',
      ['2027-01-02T04:00Z', '2027-02-02T04:00Z'],
    ],
  ];
  for (const [title, timing, zone, after, expected] of cases) {
    it(`next time of a schedule, ${title}`, async () => {
      expect(await computeTimesAfter(timing, zone, { after, count: expected.length })).to.deep.equal(
        expected,
      );
    });
  }

  const periods: [string, Timing & { next_run_at: string }, string, string[]][] = [
    [
      'the day before',
      { ...daily(4), next_run_at: '2026-11-21T03:00Z' },
      '2026-11-21T03:01Z',
      ['2026-11-20', '2026-11-21'],
    ],
    [
      'the day before, even if the run is late and a new day has started',
      { ...daily(23), next_run_at: '2026-11-20T22:00Z' },
      '2026-11-20T23:10Z',
      ['2026-11-19', '2026-11-20'],
    ],
    [
      'the day before one of 23 hours',
      { ...daily(2), next_run_at: '2026-03-29T01:00Z' },
      '2026-03-29T01:00:30Z',
      ['2026-03-28', '2026-03-29'],
    ],
    [
      'all days whose runs were missed',
      { ...daily(4), next_run_at: '2026-11-18T03:00Z' },
      '2026-11-21T12:00Z',
      ['2026-11-17', '2026-11-21'],
    ],
    [
      'the week before, from Monday',
      { cadence: 'weekly', hour: 4, weekday: 'wednesday', next_run_at: '2026-11-18T03:00Z' },
      '2026-11-18T03:01Z',
      ['2026-11-09', '2026-11-16'],
    ],
    [
      'the month before, at the end of a short one',
      { cadence: 'monthly', hour: 0, day: 31, next_run_at: '2026-02-27T23:00Z' },
      '2026-02-27T23:01Z',
      ['2026-01-01', '2026-02-01'],
    ],
    [
      'all months whose runs were missed',
      { cadence: 'monthly', hour: 0, day: 31, next_run_at: '2026-01-30T23:00Z' },
      '2026-04-15T00:00Z',
      ['2025-12-01', '2026-03-01'],
    ],
  ];
  for (const [title, schedule, now, expected] of periods) {
    it(`the previous period of a run is ${title}`, async () => {
      const text = `select ${runTimesSql('s', '$2::text', '$3::timestamptz')} from ${ROW}`;
      const { rows } = await client.query(text, [JSON.stringify(schedule), 'Europe/Berlin', now]);
      expect([rows[0].since, rows[0].until]).to.deep.equal(expected);
      expect(rows[0].next_run_at.getTime()).to.be.above(Date.parse(now));
    });
  }
});
