import { expect } from 'chai';
import { createResolve } from '../../../shared/platform/outbound/resolve.js';
import { startNameServer } from '../../support/name-server.js';
import { CANARIES, type Scenarios } from '../../support/network-namespace.js';
import { failureOf, send, startCanary, withClient } from '../../support/receivers.js';

/** This scenario has its own module, because it changes the clock of the whole process. */
export const scenarios: Scenarios = {
  'the client closes a socket after five minutes of use, so that it resolves the hostname again':
    async () => {
      const nameServer = await startNameServer();
      const canary = await startCanary(CANARIES.public);
      const now = performance.now.bind(performance);
      let offsetMs = 0;
      performance.now = () => now() + offsetMs;
      await withClient(
        async (client) => {
          const url = `http://moving.example:${canary.port}/`;
          nameServer.answer('moving.example', [CANARIES.public]);
          await send(client, url);
          nameServer.answer('moving.example', ['10.0.0.1']);
          offsetMs = 299_000;
          expect((await send(client, url)).connectMs).to.equal(null);
          offsetMs = 301_000;
          expect((await failureOf(send(client, url))).kind).to.equal('blocked_address');
          expect(canary.connections).to.have.length(1);
        },
        { resolve: createResolve([nameServer.address]) },
      );
    },
};
