import type { InboundNotice, TenantVendor } from '../../../shared/integrations/contract/vendor.js';
import { AppError } from '../../../shared/platform/errors.js';
import type { ApiContext } from '../../runtime/context.js';
import type { ApiRuntime } from '../../runtime/runtime.js';

export function findAppSecret({ config }: ApiRuntime, { manifest }: TenantVendor): string | undefined {
  return config.integrations[manifest.vendor]?.webhook_secret;
}

/** The items of a webhook, or the reason why the webhook is refused. */
export type Webhook =
  | { items: InboundNotice[]; refusal?: undefined }
  | { items?: undefined; refusal: AppError };

interface SignedBody {
  vendor: TenantVendor;
  body: Buffer;
  secret: string | undefined;
}

export function verifies(
  { config }: ApiRuntime,
  ctx: ApiContext,
  { vendor, body, secret }: SignedBody,
): boolean {
  // Some vendors also sign the public URL that they called. Use the configured public URL, because
  // behind a proxy the request's own URL may differ from it.
  const url = `${config.publicUrl}${ctx.originalUrl}`;
  return secret !== undefined && vendor.inbound.verify({ body, headers: ctx.headers, url }, secret);
}

export function wrongSignature(): AppError {
  return new AppError('unauthorized', 'The signature does not match the body.');
}

/** Verifies the signature of a webhook, and splits the webhook into its items. */
export function readWebhook(api: ApiRuntime, ctx: ApiContext, signed: SignedBody): Webhook {
  const { vendor, body } = signed;
  const { inbound, manifest } = vendor;
  if (!verifies(api, ctx, signed)) return { refusal: wrongSignature() };
  try {
    return { items: inbound.split(body) };
  } catch (error) {
    const message = `The body is not a webhook of ${manifest.label}.`;
    return { refusal: new AppError('invalid_json', message, { cause: error }) };
  }
}
