import { allRequired, cents } from '../contracts/schemas/fields.js';

/** The open amounts by age. The OpenAPI document shows it inside each object that has it. */
export const aging = allRequired({
  current_cents: cents(),
  days_1_30_cents: cents(),
  days_31_60_cents: cents(),
  days_61_90_cents: cents(),
  over_90_cents: cents(),
}).description('Open amounts now, by days past the due date');
