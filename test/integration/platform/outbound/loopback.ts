/**
 * These scenarios have a separate module, so that they run after the others, which assert that
 * nothing connects to loopback.
 */
export { loopbackScenarios as scenarios } from './guard.js';
