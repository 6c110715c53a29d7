import { expect } from 'chai';
import type { Json, TestClient } from '../../support/client.js';
import { expectError } from '../../support/expect-error.js';
import { createClaimAfter } from '../../support/records/lifecycle-records.js';
import { useStack, useTenant } from '../../support/use-stack.js';

describe('remittances whose amounts contradict each other', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Contradicted');
  let client: TestClient;
  let serial = 0;

  before(async () => {
    ({ client } = tenant);
  });

  const read = async (path: string) => (await client.get(path)).body;
  /** Creates a claim that expects $100.00. */
  const createClaim = async () => {
    serial += 1;
    const po_number = `CPO-${serial}`;
    return { ...(await createClaimAfter(client, ['submit'], { invoice: { po_number } })), po_number };
  };
  const importLines = async (lines: Record<string, unknown>[], total_cents: number) => {
    serial += 1;
    const body = { payer: 'Interstate Motor Club', reference: `EFT C-${serial}`, paid_on: '2026-11-20' };
    const response = await client.post('/remittances', { ...body, total_cents, lines });
    expect(response.status, response.text).to.equal(201);
    return response.body;
  };
  const listLines = async ({ id }: Json): Promise<Json[]> =>
    (await read(`/remittance-lines?remittance_id=${id}`)).data.items;
  const apply = ({ id }: Json) => client.post(`/remittances/${id}/apply`, {});
  const ignore = async ({ id }: Json, ignored_reason: string) => {
    const response = await client.patch(`/remittance-lines/${id}`, { ignored_reason });
    expect(response.status, response.text).to.equal(200);
  };

  it('nothing is recorded while the lines add up to more than what arrived', async () => {
    const [one, other] = [await createClaim(), await createClaim()];
    const remittance = await importLines(
      [one, other].map(({ po_number }) => ({ po_number, amount_cents: 10_000 })),
      10_000,
    );
    expectError(await apply(remittance), 409, 'conflict');
    expect(await read(`/claims/${one.id}`)).to.include({ status: 'submitted', paid_cents: 0 });
    const [, unpaid] = await listLines(remittance);
    await ignore(unpaid as Json, 'It is on another check');
    expect((await apply(remittance)).status).to.equal(200);
    expect(await read(`/claims/${one.id}`)).to.include({ status: 'paid' });
    expect(await read(`/claims/${other.id}`)).to.include({ status: 'submitted' });
  });

  it('a line that takes a part of a claim back keeps the claim open until a person decides', async () => {
    const claim = await createClaim();
    const remittance = await importLines(
      [
        { po_number: claim.po_number, amount_cents: 10_000 },
        { po_number: claim.po_number, amount_cents: -2_000, note: 'Mileage cap' },
      ],
      8_000,
    );
    const [paid, takenBack] = await listLines(remittance);
    expect(paid).to.include({ outcome: 'over_paid' });
    expect(paid?.reason).to.equal(
      'Line 2 takes $20.00 of this claim back. Decide on that line first: ignore it with a reason if this one is right.',
    );
    expect(takenBack).to.include({ outcome: 'no_payment' });
    expect((await apply(remittance)).body).to.include({ applied_count: 0 });
    expect(await read(`/claims/${claim.id}`)).to.include({ status: 'submitted', paid_cents: 0 });
  });

  it('another part of a claim that was paid in part is recorded only if a person names the claim', async () => {
    const claim = await createClaim();
    const part = [{ po_number: claim.po_number, amount_cents: 4_000 }];
    await apply(await importLines(part, 4_000));
    const again = await importLines(part, 4_000);
    const [line] = await listLines(again);
    expect(line).to.include({ outcome: 'already_paid' });
    await apply(again);
    expect(await read(`/claims/${claim.id}`)).to.include({ status: 'short_paid', paid_cents: 4_000 });
    const named = await client.patch(`/remittance-lines/${line?.id}`, { claim_id: claim.id });
    expect(named.body, named.text).to.include({ outcome: 'short_paid' });
    await apply(again);
    expect(await read(`/claims/${claim.id}`)).to.include({ paid_cents: 8_000 });
  });
});
