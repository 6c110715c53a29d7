import { expect } from 'chai';
import { storeOperation } from '../../../shared/operations/store.js';
import { newId } from '../../../shared/platform/ids.js';
import type { Json } from '../../support/client.js';
import { accept, addClub, buildOffer, type Club, offerJob } from '../../support/clubs/clubs.js';
import { expectError } from '../../support/expect-error.js';
import type { TestTenant } from '../../support/stack.js';
import { findRequiredCredential, listDocumentedOperations } from '../../support/text/openapi-walk.js';
import { useStack } from '../../support/use-stack.js';
import { buildCommand } from '../../support/writes/commands.js';

/** What every key may read: its own rights and limits, and its own delayed writes. Tests below. */
const OPEN_TO_ALL = ['GET /me', 'GET /operations/{id}', 'GET /openapi.json', 'GET /stream'];

describe("what a motor club's key may see", () => {
  const stack = useStack();
  let account: TestTenant;
  let club: Club;
  let rival: Club;
  /** Records of the account and of the other club. */
  let theirs: Json;
  let own: Json;

  before(async () => {
    account = await stack.createTenant('Guarded Towing');
    club = await addClub(stack, account.client, 'First Club');
    rival = await addClub(stack, account.client, 'Second Club');
    own = await offerJob(club);
    theirs = await offerJob(rival, { contact_name: 'Secret Motorist' });
    theirs = (await accept(account, theirs)).body;
    expect(theirs.work_order_id).to.be.a('string');
    await account.client.post('/customers', { company_name: 'Secret Customer' });
  });

  it('a key with club_offers has no other permission and is not read-only', async () => {
    for (const body of [
      { name: 'k', permissions: ['club_offers', 'read'] },
      { name: 'k', permissions: ['club_offers'], read_only: true },
    ]) {
      const [detail] = expectError(await account.client.post('/api-keys', body), 400, 'validation_error');
      expect(detail).to.include({ field: 'permissions', code: 'not_alone' });
    }
  });

  for (const operation of listDocumentedOperations().filter(
    (one) =>
      findRequiredCredential(one) === 'key' &&
      !one.path.startsWith('/club-offers') &&
      !OPEN_TO_ALL.includes(one.name),
  )) {
    it(`${operation.name} refuses a motor club's key`, async () => {
      const { method, path, body } = operation;
      const target = path.replace('{id}', theirs.work_order_id ?? newId()).replace(/\{\w+\}/, newId());
      const response = await club.client.send(method, target, body ? { body: body.example } : {});
      expect(response.status, response.text).to.equal(403);
    });
  }

  it("GET /operations/{id} answers another's delayed write like an unknown one", async () => {
    const unknown = await club.client.get(`/operations/${newId()}`);
    expectError(unknown, 404, 'not_found');
    const actor = (id: string) => ({ actor: { type: 'api_key' as const, id, name: 'k' } });
    const offer = { ...buildOffer(), club_id: rival.clubId, club: rival.name };
    for (const command of [
      buildCommand('club_offer.create', account.id, offer, actor(rival.keyId)),
      buildCommand('customer.create', account.id, { company_name: 'Late' }, actor(newId())),
    ]) {
      await storeOperation(stack.runtime.db, command, 3600);
      expect((await account.client.get(`/operations/${command.id}`)).status).to.equal(200);
      const response = await club.client.get(`/operations/${command.id}`);
      expectError(response, 404, 'not_found');
      expect(response.body.error.message).to.equal(unknown.body.error.message);
    }
  });

  it("GET /stream refuses a motor club's key", async () => {
    expect((await club.client.send('GET', '/stream')).status).to.equal(403);
  });

  it('GET /club-offers shows a club its own offers alone, whatever it filters by, and the account all', async () => {
    const { body } = await club.client.get('/club-offers?limit=200');
    expect(body.data.items.map(({ id }: Json) => id)).to.deep.equal([own.id]);
    for (const filter of [
      `reference=${theirs.reference}`,
      'status=accepted',
      `cursor=${await readCursor()}`,
    ]) {
      const { text } = await club.client.get(`/club-offers?limit=1&${filter}`);
      expect(text).to.not.include(theirs.id).and.not.include('Secret Motorist');
    }
    const all = await account.client.get('/club-offers');
    expect(all.body.data.items.map(({ id }: Json) => id)).to.include.members([own.id, theirs.id]);
  });

  async function readCursor(): Promise<string> {
    await offerJob(rival);
    return (await rival.client.get('/club-offers?limit=1')).body.data.cursor;
  }

  it("another club's offer is answered like an unknown one, also with If-Match, a dry run and a used Idempotency-Key", async () => {
    const unknown = (await club.client.get(`/club-offers/${newId()}`)).body.error;
    const expectUnknown = (response: Json) => {
      expectError(response, 404, 'not_found');
      expect(response.body.error.message).to.equal(unknown.message);
    };
    expectUnknown(await club.client.get(`/club-offers/${theirs.id}`));
    for (const action of ['confirm', 'withdraw', 'gone']) {
      const path = `/club-offers/${theirs.id}/${action}`;
      for (const headers of [
        {},
        { 'if-match': '"2020-01-01T00:00:00.000Z"' },
        { 'x-service-dry-run': 'true' },
      ])
        expectUnknown(await club.client.post(path, {}, { headers: headers as Record<string, string> }));
    }
    for (const action of ['accept', 'refuse'])
      expectError(await club.client.post(`/club-offers/${own.id}/${action}`, {}), 403, 'insufficient_scope');

    const [body, headers] = [buildOffer(), { 'idempotency-key': newId() }];
    expect((await rival.client.post('/club-offers', body, { headers })).status).to.equal(201);
    const replay = await club.client.post('/club-offers', body, { headers });
    expectError(replay, 422, 'idempotency_key_reused');
    expect(replay.text).to.not.include('Ann Motorist');
  });

  it('the successor of a rolled key sees the offers of the club', async () => {
    const { body } = await account.client.post(`/api-keys/${club.keyId}/roll`, {});
    expect(body.club_id).to.equal(club.clubId);
    const successor = stack.createClient(body.key);
    expect((await successor.get(`/club-offers/${own.id}`)).status).to.equal(200);
    const made = await successor.post('/club-offers', buildOffer());
    expect((await club.client.get(`/club-offers/${made.body.id}`)).status).to.equal(200);
  });

  it('people and other keys cannot offer, confirm or withdraw', async () => {
    expectError(await account.client.post('/club-offers', buildOffer()), 403, 'insufficient_scope');
    const withdrawn = await account.client.post(`/club-offers/${own.id}/withdraw`, {});
    expectError(withdrawn, 403, 'insufficient_scope');
  });

  it("a club's 412 names nobody who changed its offer, and the account's 412 does", async () => {
    const headers = { 'if-match': '"2020-01-01T00:00:00.000Z"' };
    const offer = await offerJob(club);
    await accept(account, offer);
    const response = await club.client.post(`/club-offers/${offer.id}/confirm`, {}, { headers });
    expect(expectError(response, 412, 'precondition_failed')).to.deep.equal([]);
    expect(response.text).to.not.include('changed_by');
    const full = await account.client.post(
      `/club-offers/${offer.id}/refuse`,
      { reason: 'price' },
      { headers },
    );
    expect(full.text).to.include('changed_by');
  });
});
