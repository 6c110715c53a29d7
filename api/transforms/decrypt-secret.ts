import { unseal } from '../../shared/platform/crypto.js';
import type { ApiRuntime } from '../runtime/runtime.js';

interface SealedResponse {
  /** Type of the command that created the secret. */
  type: string;
  body: string;
  /** The encrypted secret that the command created. */
  commandSecret: string;
}

/**
 * Decrypts a new key or secret in the one response that shows it. Everywhere else the secret is
 * encrypted. In a dry run it is null.
 *
 * Decrypts the secret in `body` if there is one. `commandSecret` may be a different secret: a
 * retried request creates another secret, which is never stored. `body` has no secret if the
 * worker's reply was lost, because `body` was then read from the record. Only then, `commandSecret`
 * is decrypted.
 */
export function decryptSecretInResponse(
  api: ApiRuntime,
  { type, body, commandSecret }: SealedResponse,
): Record<string, unknown> {
  const isWebhooks = type.startsWith('webhook_endpoint.');
  const [member, sealingKey] = isWebhooks ? ['secret', api.webhookKeys.secrets] : ['key', api.sealingKey];
  const record = JSON.parse(body) as Record<string, unknown>;
  const { [member]: sealed = commandSecret } = record as Record<string, string | null>;
  return { ...record, [member]: sealed && unseal(sealingKey, sealed) };
}
