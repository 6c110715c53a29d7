import { unseal } from '../../shared/platform/crypto.js';
import type { ApiRuntime } from '../runtime.js';

interface SealedAnswer {
  /** Of the command that made the secret. */
  type: string;
  body: string;
  /** The secret that the command itself made, sealed. */
  own: string;
}

/**
 * The answer that shows a new key or secret, once: it travels and is kept sealed, and is opened here. An answer whose reply was lost is rebuilt from the
 * record, which does not hold the secret: it is this very command's. In a dry run it is null.
 */
export function openSecret(api: ApiRuntime, { type, body, own }: SealedAnswer): Record<string, unknown> {
  const isWebhooks = type.startsWith('webhook_endpoint.');
  const [member, sealingKey] = isWebhooks ? ['secret', api.webhookKeys.secrets] : ['key', api.sealingKey];
  const record = JSON.parse(body) as Record<string, unknown>;
  const { [member]: sealed = own } = record as Record<string, string | null>;
  return { ...record, [member]: sealed && unseal(sealingKey, sealed) };
}
