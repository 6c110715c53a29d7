import { expect } from 'chai';
import { eventually } from '../../support/poll.js';
import { type TextingAccount, TextingStack } from '../../support/vendors/texting.js';

describe('texts through a connection', () => {
  let texting: TextingStack;
  let account: TextingAccount;

  before(async () => {
    texting = await TextingStack.start({ clock: false });
    account = await (await texting.createAccount()).connect();
  });
  after(() => texting.stop());
  afterEach(() => {
    texting.double.misbehave = () => undefined;
    expect(texting.double.violations).to.deep.equal([]);
  });

  it('a text leaves once through the account of the connection, and its invoice counts as sent', async () => {
    const id = await account.sendText('+12125551111');
    await account.waitForMessages([id], 'sent');
    const found = texting.double.texts.filter(({ to }) => to === '+12125551111');
    expect(found).to.have.length(1);
    const [operation] = (await account.listOperations()).filter(({ record_id }) => record_id === id);
    expect(operation).to.include({ state: 'done', verb: 'send', attempts: 1, external_id: found[0]?.id });
    const message = await account.readMessage(id);
    expect(message).to.include({ provider: 'parrot', channel: 'sms' });
    await eventually('the health', async () => (await account.read()).health.backlog === 0);
  });
});
