import { expect } from 'chai';
import { useDashboard } from '../../support/browser/dashboard.js';
import { openForKeyboard } from '../../support/browser/keyboard-person.js';
import { addClub, offerForAnHour } from '../../support/clubs/clubs.js';

describe("motor clubs' offers by keyboard alone", function () {
  this.timeout(120_000);
  const dashboard = useDashboard();

  it('a dispatcher accepts one offer of a club and refuses another with a reason', async () => {
    const { person, tenant } = await openForKeyboard(dashboard, '');
    const club = await addClub(dashboard.stack, tenant.client);
    const ids = [await offerForAnHour(club), await offerForAnHour(club)];
    await person.activate('link', 'Dispatch');
    await person.hear('2 offers of clubs wait');
    const accept = await person.openDialog(/^Accept Interstate/, /^Accept REF/);
    await person.fillField('Minutes until arrival', '40');
    await person.submit(accept, 'Accept');
    const refuse = await person.openDialog(/^Refuse Interstate/, /^Refuse REF/);
    await person.pick('No truck is free');
    await person.fillField('Note', 'Back at nine');
    await person.submit(refuse, 'Refuse');
    const offers = await Promise.all(
      ids.map(async (id) => (await tenant.client.get(`/club-offers/${id}`)).body),
    );
    expect(offers.map(({ status }) => status)).to.have.members(['accepted', 'refused']);
    expect(offers.find(({ status }) => status === 'refused')).to.include({ refusal_note: 'Back at nine' });
    person.expectWrites('POST /club-offers/{id}/accept', 'POST /club-offers/{id}/refuse');
  });
});
