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
 * Decrypts a new key or secret for the one response that shows it. Everywhere else, the secret is
 * encrypted. In a dry run, the secret is null.
 *
 * Prefers the secret in `body`. `commandSecret` may differ from it: a retried request creates
 * another secret, which is never stored. Without a secret in `body`, decrypts `commandSecret`. This
 * happens if the worker's reply was lost, because `body` is then read from the record.
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
