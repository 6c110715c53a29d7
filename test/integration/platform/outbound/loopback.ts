/**
 * These scenarios connect to loopback. They have a separate module, so that they run after the
 * scenarios in guard.ts, which assert that nothing connected to loopback.
 */
export { loopbackScenarios as scenarios } from './guard.js';
