import { expect } from 'chai';
import { createHostnameResolver } from '../../../../shared/outbound/resolve.js';
import { startNameServer } from '../../../support/network/name-server.js';
import { CANARY_ADDRESSES, type NamespaceScenarios } from '../../../support/network/network-namespace.js';
import {
  expectOutboundError,
  sendOutbound,
  startCanary,
  withOutboundClient,
} from '../../../support/webhooks/receivers.js';

/**
 * The scenario changes the clock of the whole process. It has a separate module, because other
 * scenarios in the module would run concurrently.
 */
export const scenarios: NamespaceScenarios = {
  'the client closes a socket after five minutes of use, so that it resolves the hostname again':
    async () => {
      const nameServer = await startNameServer();
      const canary = await startCanary(CANARY_ADDRESSES.public);
      const now = performance.now.bind(performance);
      let offsetMs = 0;
      performance.now = () => now() + offsetMs;
      await withOutboundClient(
        async (client) => {
          const url = `http://moving.example:${canary.port}/`;
          nameServer.setAddresses('moving.example', [CANARY_ADDRESSES.public]);
          await sendOutbound(client, url);
          nameServer.setAddresses('moving.example', ['10.0.0.1']);
          offsetMs = 299_000;
          expect((await sendOutbound(client, url)).connectMs).to.equal(null);
          offsetMs = 301_000;
          expect((await expectOutboundError(sendOutbound(client, url))).kind).to.equal('blocked_address');
          expect(canary.connections).to.have.length(1);
        },
        { resolve: createHostnameResolver([nameServer.address]) },
      );
    },
};
