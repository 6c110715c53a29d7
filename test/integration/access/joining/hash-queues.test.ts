import { expect } from 'chai';
import { createPasswords } from '../../../../api/runtime/passwords.js';
import { newId } from '../../../../shared/platform/ids.js';
import { useStack } from '../../../support/use-stack.js';

describe('hashing new passwords', () => {
  const stack = useStack();

  it('strangers who fill their queue with sign-ups keep no account from setting a password', async () => {
    const passwords = createPasswords(stack.runtime);
    const strangers = Promise.allSettled(
      Array.from({ length: 20 }, (_none, nth) =>
        passwords.hashForStranger({ password: 'a long password', address: `203.0.${nth}.1` }),
      ),
    );
    const ofAccounts = Array.from({ length: 3 }, () =>
      passwords.hash({ password: 'a long password', tenantId: newId() }),
    );
    expect(await Promise.all(ofAccounts)).to.have.length(3);
    const refused = (await strangers).filter(({ status }) => status === 'rejected');
    expect(refused).to.have.length(11);
  });

  it('one site that fills the queue of strangers leaves places for the sign-ups of another site that comes later', async () => {
    const passwords = createPasswords(stack.runtime);
    const near = Promise.allSettled(
      Array.from({ length: 20 }, (_none, nth) =>
        passwords.hashForStranger({ password: 'a long password', address: `203.0.113.${nth}` }),
      ),
    );
    expect(await passwords.hashForStranger({ password: 'a long password', address: '198.51.100.1' })).to.be.a(
      'string',
    );
    await near;
  });
});
