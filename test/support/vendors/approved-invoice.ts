import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { TestClient } from '../client.js';

/** Creates and approves an invoice with one line item, and returns its id. */
export async function createApprovedInvoice(
  client: TestClient,
  totalCents: number,
  members: object = {},
): Promise<string> {
  const { status, body } = await client.post('/invoices', {
    invoice_number: randomUUID().slice(0, 20),
    ...members,
    line_items: [
      {
        name: 'Tow',
        category: 'tow',
        quantity: 1,
        unit_type: 'each',
        unit_price_cents: totalCents,
        total_cents: totalCents,
        taxable: false,
      },
    ],
  });
  expect(status, JSON.stringify(body)).to.equal(201);
  await client.post(`/invoices/${body.id}/approve`, {});
  return body.id;
}
