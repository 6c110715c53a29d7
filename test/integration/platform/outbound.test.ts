import { runInNetworkNamespace } from '../../support/network/network-namespace.js';
import { scenarios as age } from './outbound/age.js';
import { scenarios as guard } from './outbound/guard.js';
import { scenarios as hostile } from './outbound/hostile.js';
import { scenarios as loopback } from './outbound/loopback.js';
import { scenarios as sockets } from './outbound/sockets.js';

const module = (name: string) => new URL(`./outbound/${name}.ts`, import.meta.url).href;

describe('the guarded HTTP client', () => {
  runInNetworkNamespace({
    [module('guard')]: guard,
    [module('loopback')]: loopback,
    [module('hostile')]: hostile,
    [module('sockets')]: sockets,
    [module('age')]: age,
  });
});
