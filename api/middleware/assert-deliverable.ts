import { AppError } from '../../shared/platform/errors.js';
import { refuseUrl } from '../../shared/platform/outbound/target.js';
import type { ApiRuntime } from '../runtime.js';

/** @throws {AppError} 400 when nothing may be delivered to this address, as far as its form tells. */
export function assertDeliverable({ config }: ApiRuntime, url: string): void {
  const refusal = refuseUrl(url, { allowLoopback: config.allowLoopback, allowHttp: !config.production });
  // An endpoint here would make every event a request to this service, and those new events.
  const isOwn = URL.canParse(url) && new URL(url).host === new URL(config.publicUrl).host;
  if (!refusal && !isOwn) return;
  const message = `url ${refusal ?? 'must not be an address of this service'}`;
  throw new AppError('validation_error', `${message}.`, {
    details: [{ field: 'url', code: 'blocked_address', message }],
  });
}
