import { expect } from 'chai';
import { renewDemoCredentials, seedDemo } from '../../../bin/demo/seed-demo.js';
import { eventually } from '../../support/poll.js';
import { createSessionClient, readCookie, requestSession } from '../../support/records/sign-in.js';
import { useStack } from '../../support/use-stack.js';

describe('users of the demo accounts', () => {
  const stack = useStack({ clock: true });

  it('demo users sign in with the password of demo.json, see their account, and lose sessions on renewal', async () => {
    const { db, config } = stack.runtime;
    const logger = { info: () => undefined, warn: () => undefined };
    const options = { secretKey: config.secretKey, logger };
    const tenants = (await seedDemo(db, options)) ?? [];
    expect(tenants).to.have.length(2);
    const clients = [];
    for (const { name, email, password } of tenants) {
      const response = await requestSession(stack.origin, { email, password });
      expect(response.body.tenant?.name, response.text).to.equal(name);
      const person = createSessionClient(stack.origin, readCookie(response));
      const people = (await person.get('/users')).body.data;
      expect(people.count).to.equal(3);
      expect((await person.get('/invoices?limit=1')).body.data.count).to.equal(1);
      clients.push(person);
    }
    const renewed = await renewDemoCredentials(db, options);
    for (const [index, client] of clients.entries()) {
      await eventually('401', async () => (await client.get('/me')).status === 401, 6000);
      const { email = '', password = '' } = renewed[index] ?? {};
      expect((await requestSession(stack.origin, { email, password })).status).to.equal(200);
    }
  });
});
