/** A separate module, so that it runs after the others have checked for calls to loopback. */
export { loopbackScenarios as scenarios } from './guard.js';
