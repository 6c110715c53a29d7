import { expect } from 'chai';
import { createResolve } from '../../../shared/platform/outbound/resolve.js';
import { startNameServer } from '../../support/name-server.js';
import { CANARIES, type Scenarios } from '../../support/network-namespace.js';
import { failureOf, send, startCanary, withClient } from '../../support/receivers.js';

/** A module of its own: it moves the clock of the whole process. */
export const scenarios: Scenarios = {
  'ends a socket after five minutes in use, so that a name that has moved is asked for again': async () => {
    const names = await startNameServer();
    const canary = await startCanary(CANARIES.public);
    const now = performance.now.bind(performance);
    let later = 0;
    performance.now = () => now() + later;
    await withClient(
      async (client) => {
        const url = `http://moving.example:${canary.port}/`;
        names.answer('moving.example', [CANARIES.public]);
        await send(client, url);
        names.answer('moving.example', ['10.0.0.1']);
        later = 299_000;
        expect((await send(client, url)).connectMs).to.equal(null);
        later = 301_000;
        expect((await failureOf(send(client, url))).kind).to.equal('blocked_address');
        expect(canary.connections).to.have.length(1);
      },
      { resolve: createResolve([names.address]) },
    );
  },
};
