import { expect } from 'chai';
import type { TestClient, TestResponse } from '../../support/client.js';
import { createInvoiceAfter } from '../../support/records/lifecycle-records.js';
import { remittanceInput } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const DAY_MS = 24 * 3_600_000;
const dayIn = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

describe('the day on which money came in', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Timely');
  let client: TestClient;

  before(async () => {
    ({ client } = tenant);
  });

  const remit = (paid_on: string) => client.post('/remittances', remittanceInput({ paid_on }));
  const pay = async (received_at: string) => {
    const id = await createInvoiceAfter(client, ['approve', 'send']);
    return client.post(`/invoices/${id}/payments`, { amount_cents: 100, method: 'check', received_at });
  };
  const expectOutside = ({ status, body }: TestResponse, field: string) => {
    expect(status).to.equal(400);
    const message = `${field} must be from 2000-01-01 to a year from now`;
    expect(body.error.details).to.deep.equal([{ field, code: 'outOfPeriod', message }]);
  };

  for (const day of ['0001-01-01', '0206-11-20', '1999-12-31', dayIn(400), '9999-12-31'])
    it(`paid_on and received_at refuse ${day.startsWith('20') ? 'a day in 400 days' : day} by the code outOfPeriod`, async () => {
      expectOutside(await remit(day), 'paid_on');
      expectOutside(await pay(`${day}T12:00:00Z`), 'received_at');
    });

  for (const [name, day] of [
    ['2000-01-01', '2000-01-01'],
    ['a check that is dated ahead', dayIn(180)],
  ] as const)
    it(`paid_on and received_at accept ${name}`, async () => {
      expect((await remit(day)).status).to.equal(201);
      expect((await pay(`${day}T12:00:00Z`)).status).to.equal(201);
    });

  it('a text that is no date has one fault', async () => {
    const { body } = await remit('2026-02-30');
    expect(body.error.details.map(({ code }: { code: string }) => code)).to.deep.equal(['dateTime']);
  });
});
