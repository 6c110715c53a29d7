/**
 * The environment of all requests of this page. The URL contains it as `env=sandbox`. So a pasted
 * link opens the same environment, and two tabs may have different environments.
 */
export type Environment = 'live' | 'sandbox';

export function readEnvironment(): Environment {
  return new URLSearchParams(window.location.search).get('env') === 'sandbox' ? 'sandbox' : 'live';
}
