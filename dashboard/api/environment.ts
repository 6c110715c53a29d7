/**
 * The environment that all requests of this page act on. It stands in the URL as `env=sandbox`, so
 * a pasted link opens the same environment, and two tabs may differ.
 */
export type Environment = 'live' | 'sandbox';

export function readEnvironment(): Environment {
  return new URLSearchParams(window.location.search).get('env') === 'sandbox' ? 'sandbox' : 'live';
}
