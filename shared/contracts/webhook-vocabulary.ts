/** `failed`: will be retried; `exhausted`: will not be retried (docs/decisions.md §8). */
export const DELIVERY_STATUSES = [
  'pending',
  'delivering',
  'succeeded',
  'failed',
  'exhausted',
  'cancelled',
] as const;
export const DELIVERY_TRIGGERS = ['event', 'replay', 'recover', 'test', 'probe'] as const;
/**
 * The reason why an endpoint was disabled. `user`: a person or a key disabled it. `failing`: its
 * deliveries failed for five days. `gone`: the receiver responded with 410. `receiver`: a header in
 * the receiver's response asked for it.
 */
export const DISABLED_REASONS = ['user', 'failing', 'gone', 'receiver'] as const;
export const ENDPOINT_STATES = [
  'healthy',
  'failing',
  'paused',
  'throttled',
  'slow',
  'disabled',
  'unknown',
] as const;
/** In Standard Webhooks, v1 is HMAC-SHA256 and v1a is ed25519. */
export const SIGNATURE_SCHEMES = ['v1', 'v1a'] as const;
export const REPLAY_STATUSES = ['running', 'completed', 'cancelled'] as const;
