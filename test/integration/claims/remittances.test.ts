import { expect } from 'chai';
import type { TestClient } from '../../support/client.js';
import { expectError } from '../../support/expect-error.js';
import { createClaimAfter } from '../../support/records/lifecycle-records.js';
import { UNKNOWN_ID } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

type Json = Record<string, never>;

let serial = 0;

describe('remittances of motor clubs', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Remitted');
  let client: TestClient;

  before(async () => {
    ({ client } = tenant);
  });

  const read = async (path: string) => (await client.get(path)).body;
  const newPo = () => {
    serial += 1;
    return `RPO-${serial}`;
  };
  /** Creates a claim with a new PO that expects $100.00. */
  const claimWith = async (
    actions: readonly string[] = ['submit'],
    invoice: Record<string, unknown> = {},
  ) => {
    const po_number = newPo();
    const claim = await createClaimAfter(client, actions, { invoice: { po_number, ...invoice } });
    const { invoice_number } = await read(`/invoices/${claim.invoice_id}`);
    return { ...claim, po_number, invoice_number: invoice_number as string };
  };
  const send = (body: Record<string, unknown>) =>
    client.post('/remittances', {
      payer: 'Interstate Motor Club',
      reference: `EFT ${newPo()}`,
      paid_on: '2026-11-20',
      total_cents: 10_000,
      ...body,
    });
  const importLines = async (lines: Record<string, unknown>[], body: Record<string, unknown> = {}) => {
    const sum = lines.reduce((cents, { amount_cents }) => cents + Math.max(0, Number(amount_cents)), 0);
    const response = await send({ total_cents: sum, lines, ...body });
    expect(response.status, response.text).to.equal(201);
    return response.body;
  };
  const listLines = async ({ id }: { id: string }) =>
    (await read(`/remittance-lines?remittance_id=${id}&limit=200`)).data.items;
  const apply = async ({ id }: { id: string }) => {
    const response = await client.post(`/remittances/${id}/apply`, {});
    expect(response.status, response.text).to.equal(200);
    return response.body;
  };
  const listPayments = async (claim: { invoice_id: string }) =>
    (await read(`/invoices/${claim.invoice_id}/payments`)).data.items;

  it('one check pays several claims: each line is matched by PO and amount, and applying records one payment each', async () => {
    const [whole, short] = [await claimWith(), await claimWith(['submit', 'outcome:accepted'])];
    const remittance = await importLines(
      [
        { po_number: whole.po_number, amount_cents: 10_000 },
        { po_number: short.po_number, amount_cents: 6_000, note: 'Mileage cap' },
        { po_number: 'PO-NOBODY', amount_cents: 1_000 },
      ],
      { reference: 'EFT 5521', total_cents: 17_500 },
    );
    expect(remittance).to.include({ status: 'matched', lines_cents: 17_000, difference_cents: 500 });
    expect(remittance).to.include({ line_count: 3, open_count: 3, ready_count: 2, applied_count: 0 });
    const lines = await listLines(remittance);
    expect(lines.map(({ outcome }: Json) => outcome)).to.deep.equal(['matched', 'short_paid', 'unknown_po']);
    expect(lines[0]).to.include({
      position: 1,
      claim_id: whole.id,
      invoice_id: whole.invoice_id,
      expected_cents: 10_000,
      reason: `The club pays what the claim of invoice ${whole.invoice_number} expects.`,
    });
    expect(lines[1].reason).to.equal(
      `The club pays $60.00 of $100.00 for invoice ${short.invoice_number}; $40.00 are missing.`,
    );
    expect(lines[2].reason).to.match(/^No claim and no invoice has the PO PO-NOBODY/);
    expect(await listPayments(whole)).to.deep.equal([]);

    const applied = await apply(remittance);
    expect(applied).to.include({ status: 'partly_applied', applied_count: 2, open_count: 1 });
    expect(applied).to.include({ applied_cents: 16_000, ready_count: 0 });
    expect(await read(`/claims/${whole.id}`)).to.include({ status: 'paid', paid_cents: 10_000 });
    expect(await read(`/invoices/${whole.invoice_id}`)).to.include({ status: 'paid', balance_due_cents: 0 });
    expect(await read(`/claims/${short.id}`)).to.include({
      status: 'short_paid',
      paid_cents: 6_000,
      status_reason: 'Mileage cap',
    });
    const [payment] = await listPayments(whole);
    // The account's time zone is America/New_York.
    expect(payment).to.include({ method: 'motor_club', amount_cents: 10_000, reference: 'EFT 5521' });
    expect(payment.received_at).to.equal('2026-11-20T05:00:00.000Z');
    const after = await listLines(remittance);
    expect(after[0]).to.include({ status: 'applied', payment_id: payment.id });
    expect(after[2]).to.include({ status: 'open', payment_id: null, outcome: 'unknown_po' });
    const actions = await stack.rows<{ action: string }>(
      tenant.id,
      `select action from audit_entries where entity_id in ('${remittance.id}', '${whole.id}', '${whole.invoice_id}', '${payment.id}') order by action`,
    );
    expect(actions.map(({ action }) => action)).to.include.members([
      'remittance.created',
      'remittance.applied',
      'claim.answered',
      'payment.created',
      'invoice.updated',
    ]);
  });

  it('applying again, twice at once or after every line is applied, records no second payment', async () => {
    const claim = await claimWith();
    const remittance = await importLines([{ po_number: claim.po_number, amount_cents: 10_000 }]);
    const dryRun = { headers: { 'x-service-dry-run': 'true' } };
    const preview = await client.post(`/remittances/${remittance.id}/apply`, {}, dryRun);
    expect(preview.body.data).to.include({ status: 'applied', applied_cents: 10_000 });
    expect(await listPayments(claim)).to.deep.equal([]);
    const both = await Promise.all([apply(remittance), apply(remittance)]);
    for (const one of both) expect(one).to.include({ status: 'applied', applied_cents: 10_000 });
    const last = await apply(remittance);
    expect(last.updated_at).to.equal(both[0].updated_at);
    expect(await listPayments(claim)).to.have.length(1);
    expect(await read(`/claims/${claim.id}`)).to.include({ status: 'paid', paid_cents: 10_000 });
  });

  it('two remittances for one claim, applied at once, pay the claim once', async () => {
    const claim = await claimWith();
    const line = { po_number: claim.po_number, amount_cents: 10_000 };
    const [first, second] = [await importLines([line]), await importLines([line])];
    const applied = await Promise.all([apply(first), apply(second)]);
    expect(applied.map(({ applied_count }) => applied_count).sort()).to.deep.equal([0, 1]);
    expect(await listPayments(claim)).to.have.length(1);
    const loser = applied.find(({ applied_count }) => applied_count === 0);
    expect((await listLines(loser))[0]).to.include({ status: 'open', outcome: 'already_paid' });
  });

  it('each mismatch has its outcome and a reason, and applying records none of them', async () => {
    const paid = await claimWith(['submit', 'outcome:paid', 'outcome:paid', 'outcome:paid']);
    const [queued, withdrawn] = [await claimWith([]), await claimWith(['submit', 'withdraw'])];
    const [over, other, inReview] = [await claimWith(), await claimWith(), await claimWith()];
    await client.post(`/invoices/${inReview.invoice_id}/dispute`, { reason: 'Wrong car' });
    await client.patch(`/invoices/${inReview.invoice_id}`, { status: 'needs_review' });
    const elsewhere = await claimWith();
    await client.post(`/invoices/${elsewhere.invoice_id}/payments`, { amount_cents: 10_000, method: 'cash' });
    const unclaimed = await client.post('/invoices', {
      line_items: [],
      invoice_number: newPo(),
      po_number: newPo(),
    });
    const twin = await claimWith();
    await createClaimAfter(client, ['submit'], { invoice: { po_number: twin.po_number } });
    const lines: [Record<string, unknown>, string, RegExp][] = [
      [{ po_number: paid.po_number }, 'already_paid', /claim of invoice INV-\d+ is paid already/],
      [{ po_number: queued.po_number }, 'not_open', /is not sent to the club yet/],
      [{ po_number: withdrawn.po_number }, 'not_open', /was withdrawn/],
      [
        { po_number: over.po_number, amount_cents: 10_001 },
        'over_paid',
        /\$100\.01, but .* expects \$100\.00/,
      ],
      [
        { po_number: other.po_number, invoice_number: over.invoice_number },
        'po_mismatch',
        /belongs to invoice/,
      ],
      [{ po_number: inReview.po_number }, 'not_open', /has the status needs_review and takes no payment/],
      [{ po_number: elsewhere.po_number }, 'already_paid', /by another payment/],
      [{ po_number: unclaimed.body.po_number }, 'no_claim', /has no claim/],
      [{ po_number: twin.po_number }, 'several_claims', /Name the claim that the club means/],
      [{ po_number: twin.po_number.toLowerCase() }, 'unknown_po', /No claim and no invoice/],
      [{ invoice_number: 'INV-NONE' }, 'unknown_invoice', /No invoice has the number INV-NONE/],
      [{ po_number: '' }, 'no_po', /neither a PO nor an invoice number/],
      [{ po_number: other.po_number, amount_cents: 0 }, 'no_payment', /pays nothing/],
      [{ po_number: other.po_number, amount_cents: -500 }, 'no_payment', /takes \$5\.00 back/],
    ];
    const remittance = await importLines(lines.map(([line]) => ({ amount_cents: 9_000, ...line })));
    const check = async () => {
      const stored = await listLines(remittance);
      expect(stored.map(({ outcome }: Json) => outcome)).to.deep.equal(lines.map(([, outcome]) => outcome));
      for (const [index, [, , reason]] of lines.entries()) expect(stored[index].reason).to.match(reason);
    };
    await check();
    expect(await apply(remittance)).to.include({
      status: 'matched',
      applied_count: 0,
      open_count: lines.length,
    });
    await check();
    for (const claim of [over, other, inReview, twin]) expect(await listPayments(claim)).to.deep.equal([]);
  });

  it('an invoice number decides between claims with one PO, and stands for a missing PO', async () => {
    const first = await claimWith();
    const second = await createClaimAfter(client, ['submit'], { invoice: { po_number: first.po_number } });
    const withoutPo = await createClaimAfter(client, ['submit']);
    const { invoice_number } = await read(`/invoices/${withoutPo.invoice_id}`);
    const remittance = await importLines([
      { po_number: first.po_number, invoice_number: first.invoice_number, amount_cents: 10_000 },
      { invoice_number, amount_cents: 4_000 },
      { po_number: newPo(), invoice_number, amount_cents: 6_000 },
    ]);
    const lines = await listLines(remittance);
    expect(lines.map(({ claim_id }: Json) => claim_id)).to.deep.equal([first.id, withoutPo.id, withoutPo.id]);
    expect(lines[1]).to.include({ outcome: 'matched' });
    expect(lines[1].reason).to.match(/^With lines 2 and 3, the club pays what/);
    await apply(remittance);
    const payments = await listPayments(withoutPo);
    expect(payments.map(({ amount_cents }: Json) => amount_cents)).to.deep.equal([10_000]);
    expect(await read(`/claims/${second.id}`)).to.include({ status: 'submitted' });
  });

  it('lines that pay a claim twice are over-paid together, until a person ignores one', async () => {
    const claim = await claimWith();
    const line = { po_number: claim.po_number, amount_cents: 10_000 };
    const remittance = await importLines([line, line], { total_cents: 20_000 });
    const [first, second] = await listLines(remittance);
    expect([first.outcome, second.outcome]).to.deep.equal(['over_paid', 'over_paid']);
    expect(await apply(remittance)).to.include({ applied_count: 0 });
    const ignored = await client.patch(`/remittance-lines/${second.id}`, { ignored_reason: 'Listed twice' });
    expect(ignored.body).to.include({ status: 'ignored', ignored_reason: 'Listed twice' });
    expect(await read(`/remittances/${remittance.id}`)).to.include({ ready_count: 1, ignored_count: 1 });
    const reopened = await client.patch(`/remittance-lines/${second.id}`, { ignored_reason: null });
    expect(reopened.body).to.include({ status: 'open', outcome: 'over_paid' });
    await client.patch(`/remittance-lines/${second.id}`, { ignored_reason: 'Listed twice' });
    expect(await apply(remittance)).to.include({ status: 'applied', applied_count: 1, ignored_count: 1 });
    const refused = await client.patch(`/remittance-lines/${first.id}`, { ignored_reason: 'Too late' });
    expectError(refused, 409, 'conflict');
  });

  it('a person names the claim of a line, and takes the name back', async () => {
    const claim = await claimWith();
    const remittance = await importLines([{ po_number: 'TYPO-1', amount_cents: 10_000 }]);
    const [line] = await listLines(remittance);
    const path = `/remittance-lines/${line.id}`;
    expectError(await client.patch(path, { claim_id: UNKNOWN_ID }), 400, 'validation_error');
    const named = await client.patch(path, { claim_id: claim.id });
    expect(named.body).to.include({ outcome: 'matched', claim_id: claim.id, is_claim_named: true });
    expect((await client.patch(path, { claim_id: null })).body).to.include({
      outcome: 'unknown_po',
      claim_id: null,
    });
    await client.patch(path, { claim_id: claim.id });
    expect(await apply(remittance)).to.include({ status: 'applied' });
    expect(await read(`/claims/${claim.id}`)).to.include({ status: 'paid' });
    expectError(await client.patch(`/remittance-lines/${UNKNOWN_ID}`, {}), 404, 'not_found');
  });

  it('a remittance of a customer pays no claim of another customer, unless a person names it', async () => {
    const makeCustomer = async (company_name: string) =>
      (await client.post('/customers', { company_name })).body.id;
    const [mine, theirs] = [await makeCustomer('Club A'), await makeCustomer('Club B')];
    const claim = await claimWith(['submit'], { customer_id: mine });
    const line = { po_number: claim.po_number, amount_cents: 10_000 };
    const foreign = await importLines([line], { customer_id: theirs });
    const [stored] = await listLines(foreign);
    expect(stored).to.include({ outcome: 'other_customer', invoice_id: claim.invoice_id });
    expect((await listLines(await importLines([line], { customer_id: mine })))[0].outcome).to.equal(
      'matched',
    );
    const named = await client.patch(`/remittance-lines/${stored.id}`, { claim_id: claim.id });
    expect(named.body.outcome).to.equal('matched');
    expectError(await send({ lines: [line], customer_id: UNKNOWN_ID }), 400, 'validation_error');
  });

  it('applying compares again, so a claim that was sent or paid meanwhile counts', async () => {
    const [sent, paid] = [await claimWith([]), await claimWith()];
    const remittance = await importLines([
      { po_number: sent.po_number, amount_cents: 10_000 },
      { po_number: paid.po_number, amount_cents: 10_000 },
    ]);
    await client.post(`/claims/${sent.id}/submit`, {});
    await client.post(`/claims/${paid.id}/outcome`, { outcome: 'paid', amount_cents: 10_000 });
    expect(await apply(remittance)).to.include({ status: 'partly_applied', applied_count: 1 });
    const [first, second] = await listLines(remittance);
    expect([first.status, second.outcome]).to.deep.equal(['applied', 'already_paid']);
    expect(await listPayments(paid)).to.have.length(1);
  });

  it('the same payer and reference twice is refused with the first remittance, whatever the case', async () => {
    const body = { payer: 'Allways', reference: 'CHK 7', lines: [{ po_number: 'X', amount_cents: 1 }] };
    const [one, two] = await Promise.all([
      send(body),
      send({ ...body, payer: 'ALLWAYS', reference: 'chk 7' }),
    ]);
    const [made, refused] = one.status === 201 ? [one, two] : [two, one];
    expectError(refused, 409, 'conflict');
    expect(refused.body.error.details[0]).to.include({ field: 'reference', remittance_id: made.body.id });
    expect(refused.body.error.message).to.include(made.body.id);
    expect((await send({ ...body, reference: 'CHK 8' })).status).to.equal(201);
  });

  it('CSV becomes lines in the sequence of the list, and its faults are refused by line', async () => {
    const claim = await claimWith();
    const csv = `\uFEFFPO #,Amount Paid,Memo\r\n${claim.po_number},$100.00,\r\nPO-NOBODY,"$1,234.50",Bonus\r\n`;
    const response = await send({ csv, total_cents: 133_450 });
    expect(response.body).to.include({ lines_cents: 133_450, difference_cents: 0, line_count: 2 });
    const lines = await listLines(response.body);
    expect(lines[0]).to.include({ position: 1, claim_id: claim.id, outcome: 'matched', note: null });
    expect(lines[1]).to.include({ position: 2, amount_cents: 123_450, outcome: 'unknown_po', note: 'Bonus' });
    const [fault] = expectError(await send({ csv: 'PO,Amount\nX,ten' }), 400, 'validation_error');
    expect(fault).to.include({ field: 'csv', line: 2 });
    expect(fault?.message).to.equal('Line 2 of csv: "ten" is no amount in dollars; write it as 1,234.50');
    expectError(await send({}), 400, 'validation_error');
    expectError(await send({ csv, lines: [{ amount_cents: 1 }] }), 400, 'validation_error');
  });
});
