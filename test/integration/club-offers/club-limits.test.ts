import { expect } from 'chai';
import type { TestClient } from '../../support/client.js';
import { buildOffer } from '../../support/clubs/clubs.js';
import { LIMITED_STACK, LOW_TIERS, useStack } from '../../support/use-stack.js';

describe("limits of motor clubs' keys", () => {
  const stack = useStack(LIMITED_STACK);

  it("a flood by the clubs of one account stops neither the account's own keys nor another account's clubs", async () => {
    const [flooded, other] = [await stack.createTenant('Flooded'), await stack.createTenant('Calm')];
    const openClub = async (tenantId: string): Promise<TestClient> =>
      stack.createClient(await stack.createKey(tenantId, { permissions: ['club_offers'] }));
    const clubs = await Promise.all([1, 2, 3].map(() => openClub(flooded.id)));
    const { minute } = LOW_TIERS.standard;
    const statuses = await Promise.all(
      clubs.flatMap((club) =>
        Array.from(
          { length: minute + 2 },
          async () => (await club.post('/club-offers', buildOffer())).status,
        ),
      ),
    );
    const taken = statuses.filter((status) => status === 201);
    expect(taken.length)
      .to.be.at.least(minute)
      .and.at.most(2 * minute);
    expect(new Set(statuses)).to.deep.equal(new Set([201, 429]));

    expect((await flooded.client.get('/club-offers')).status).to.equal(200);
    expect((await (await openClub(other.id)).post('/club-offers', buildOffer())).status).to.equal(201);
  });
});
