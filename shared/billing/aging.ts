import { allRequired, cents } from '../contracts/schemas/fields.js';

/**
 * The open amounts by age. This schema has no name, so the OpenAPI document repeats its members
 * wherever they are used.
 */
export const aging = allRequired({
  current_cents: cents(),
  days_1_30_cents: cents(),
  days_31_60_cents: cents(),
  days_61_90_cents: cents(),
  over_90_cents: cents(),
}).description('Open amounts now, by days past the due date');

function sumOpenSql(name: string, condition: string): string {
  return `coalesce(sum(o.open_cents) filter (where ${condition}), 0)::bigint as ${name}`;
}

/**
 * The SQL columns that sum open amounts by age. The query must have a table `o` with the columns
 * `open_cents` and `days`. `days` is the number of days since the due date, or null if no due date
 * is known.
 */
export const AGING_SUMS = `${sumOpenSql('current_cents', 'o.days is null or o.days <= 0')}, ${sumOpenSql('days_1_30_cents', 'o.days between 1 and 30')},
    ${sumOpenSql('days_31_60_cents', 'o.days between 31 and 60')}, ${sumOpenSql('days_61_90_cents', 'o.days between 61 and 90')},
    ${sumOpenSql('over_90_cents', 'o.days > 90')}`;
