/** A module of its own, so that it runs once the others have seen that nobody called loopback. */
export { loopbackScenarios as scenarios } from './guard.js';
