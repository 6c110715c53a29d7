import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import { mintKey } from '../../../shared/resources/api-keys/credential.js';
import type { TestResponse } from '../../support/client.js';
import { accept, addClub, buildOffer, type Club, offerJob } from '../../support/clubs/clubs.js';
import { expectError } from '../../support/expect-error.js';
import { endpointInput } from '../../support/records/samples.js';
import type { TestTenant } from '../../support/stack.js';
import { useStack } from '../../support/use-stack.js';

describe("keys of motor clubs: the club's identity and its end", () => {
  const stack = useStack();
  let account: TestTenant;

  before(async () => {
    account = await stack.createTenant('Keyed Towing');
  });

  /** Stores a key as a worker of an older release does: it knows no column `club_id`. */
  async function storeWithoutClub(rolledFrom: string | null): Promise<Club> {
    const { key, material } = mintKey('api', 'live', randomBytes(32));
    const keyId = newId();
    const insert = `insert into api_keys (tenant_id, id, kind, name, prefix, last_four, key_hash, permissions, scopes, read_only, rolled_from, created_at)
      values ($1, $2, 'api', 'Old Club', $3, $4, decode($5, 'hex'), '{club_offers}', '{}', false, $6, now())`;
    const { prefix, lastFour, hash } = material;
    await stack.rows(account.id, insert, [account.id, keyId, prefix, lastFour, hash, rolledFrom]);
    const { body } = await account.client.get(`/api-keys/${keyId}`);
    return { name: 'Old Club', client: stack.createClient(key), keyId, clubId: body.club_id };
  }

  const bindEndpoint = ({ clubId }: Club): Promise<TestResponse> =>
    account.client.post(
      '/webhook-endpoints',
      endpointInput({ club_id: clubId, event_types: ['club_offer.*'] }),
    );

  it('a key that an older worker created or rolled belongs to its club, and so do its successors', async () => {
    const first = await storeWithoutClub(null);
    expect(first.clubId).to.equal(first.keyId);
    const offer = await offerJob(first);
    const second = await storeWithoutClub(first.keyId);
    const { body } = await account.client.post(`/api-keys/${second.keyId}/roll`, {});
    expect([second.clubId, body.club_id]).to.deep.equal([first.clubId, first.clubId]);
    for (const client of [second.client, stack.createClient(body.key)])
      expect((await client.get(`/club-offers/${offer.id}`)).status).to.equal(200);
    expect((await bindEndpoint(second)).status).to.equal(201);
    const { permissions, club_id } = (await account.client.post('/api-keys', { name: 'k' })).body;
    expect({ permissions, club_id }).to.deep.equal({ permissions: ['read', 'write'], club_id: null });
  });

  it('after the last key of a club is revoked, its offers cannot be accepted and it gets no new endpoint', async () => {
    const club = await addClub(stack, account.client, 'Ended Club');
    const [first, second, third] = [await offerJob(club), await offerJob(club), await offerJob(club)];
    const { body: successor } = await account.client.post(`/api-keys/${club.keyId}/roll`, {});
    await account.client.delete(`/api-keys/${club.keyId}`);
    expect((await accept(account, first)).status).to.equal(200);
    expect((await bindEndpoint(club)).status).to.equal(201);

    const revoked = await account.client.delete(`/api-keys/${successor.id}`);
    expect(revoked.status, revoked.text).to.equal(200);
    const [detail] = expectError(await accept(account, second), 409, 'conflict');
    expect(detail).to.include({ field: 'club_id', code: 'no_live_key' });
    const [unknown] = expectError(await bindEndpoint(club), 400, 'validation_error');
    expect(unknown).to.include({ field: 'club_id', code: 'unknown' });
    const refused = await account.client.post(`/club-offers/${third.id}/refuse`, { reason: 'other' });
    expect(refused.status).to.equal(200);
  });

  it('a club makes 300 offers an hour at most, also if it withdraws each at once', async () => {
    const club = await addClub(stack, account.client, 'Hasty Club');
    const insert = `insert into club_offers (tenant_id, id, club_id, club, reference, status, service_type, respond_by, created_at)
      select $1, gen_random_uuid(), $2, 'Hasty Club', 'past ' || n, 'withdrawn', 'tow', now(),
        now() - case when n <= 299 then interval '59 minutes' else interval '61 minutes' end
      from generate_series(1, 320) n`;
    await stack.rows(account.id, insert, [account.id, club.clubId]);
    const last = await offerJob(club);
    expect((await club.client.post(`/club-offers/${last.id}/withdraw`, {})).status).to.equal(200);
    const refused = await club.client.post('/club-offers', buildOffer());
    expectError(refused, 409, 'conflict');
    expect(refused.body.error.message).to.include('300 offers within an hour');
    await offerJob(await addClub(stack, account.client, 'Calm Club'));
  });
});
