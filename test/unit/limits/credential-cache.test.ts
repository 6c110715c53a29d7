import { expect } from 'chai';
import type { Principal } from '../../../shared/contracts/principal.js';
import {
  type Credentials,
  openCredentialCache,
} from '../../../shared/resources/api-keys/credential-cache.js';

describe('cache of credentials', () => {
  const key = { id: 'key', tenantId: 'tenant', revoked: false, expiresAt: null } as Principal;
  let queries: { answer: (found: Principal | undefined) => void; fail: (error: Error) => void }[];
  let credentials: Credentials;
  let broadcastChange: (id: string) => void;
  const find = () =>
    credentials.find({
      text: 'text',
      isWellFormed: () => true,
      find: () => new Promise((answer, fail) => queries.push({ answer, fail })),
      refusalMessage: '',
    });
  /** After the test has answered a query, lets the code that waits for this answer continue. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  beforeEach(async () => {
    queries = [];
    credentials = await openCredentialCache({
      bus: {
        subscribe: async (_, handle) => {
          broadcastChange = handle;
        },
        publish: async () => undefined,
      } as Parameters<typeof openCredentialCache>[0]['bus'],
    });
  });

  it('requests with the same credential share one query', async () => {
    const found = Promise.all([find(), find(), find()]);
    queries[0]?.answer(key);
    expect(await found).to.deep.equal([key, key, key]);
    expect(await find()).to.equal(key);
    expect(queries).to.have.length(1);
  });

  it('an answer from before a change is not cached', async () => {
    const before = find();
    broadcastChange('key');
    const after = find();
    queries[0]?.answer(key);
    await settle();
    expect(queries, 'the credential is queried again').to.have.length(2);
    queries[1]?.answer({ ...key, revoked: true });
    expect(await before).to.equal(undefined);
    expect(await after).to.equal(undefined);
    expect(await find(), 'from the cache').to.equal(undefined);
    expect(queries).to.have.length(2);
  });

  it('an entry that expires soon is queried again while requests use it', async () => {
    const first = find();
    queries[0]?.answer(key);
    await first;
    await new Promise((resolve) => setTimeout(resolve, 2100));
    expect(await find(), 'without waiting').to.equal(key);
    expect(await find()).to.equal(key);
    expect(queries).to.have.length(2);
    queries[1]?.fail(new Error('unreachable'));
    await settle();
    expect(await find(), 'after the failure, until the entry expires').to.equal(key);
    expect(queries).to.have.length(3);
    queries[2]?.answer({ ...key, revoked: true });
    await settle();
    expect(await find(), 'as the last query found it').to.equal(undefined);
  });

  it('a credential that is gone leaves the cache', async () => {
    const first = find();
    queries[0]?.answer(key);
    await first;
    await new Promise((resolve) => setTimeout(resolve, 2100));
    await find();
    queries[1]?.answer(undefined);
    await settle();
    const next = find();
    expect(queries).to.have.length(3);
    queries[2]?.answer(undefined);
    expect(await next).to.equal(undefined);
  });
});
