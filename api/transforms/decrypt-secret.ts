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
 * The encrypted secret in `body` comes first: for a retried request, `commandSecret` is a second
 * secret that was never stored. If the worker's reply was lost, `body` was read from the record and
 * has no secret. Then `commandSecret` is decrypted.
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
