import Joi from 'joi';
import { dateTime, uuid } from '../../contracts/schemas/fields.js';
import type { Field } from '../../records/fields/field.js';
import { autopayTime } from './enums.js';

/** The setting that charges invoices to a saved payment method, as clients send it. */
export interface AutopayInput {
  payment_method_id: string;
  when: 'release' | 'due_date';
}

export interface Autopay extends AutopayInput {
  /** RFC 3339. Autopay charges only invoices that were sent at or after this time. */
  since: string;
}

const members = () => ({
  payment_method_id: uuid().required(),
  when: autopayTime.required(),
});

const EXAMPLE = { payment_method_id: '0192f1c4-1a2b-7c3d-8e4f-5a6b7c8d9e0f', when: 'due_date' };

/** The field `autopay` of customers and recurring invoices. */
export function autopayField(description: string): Field {
  return {
    input: Joi.object(members()).allow(null).description(description).example(EXAMPLE, { override: true }),
    output: Joi.object({
      ...members(),
      since: dateTime().required().description('Only invoices that were sent since then are charged'),
    })
      .allow(null)
      .description(description)
      .example(null, { override: true }),
    columns: 'jsonb',
    csv: null,
  };
}
