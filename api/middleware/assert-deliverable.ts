import { AppError } from '../../shared/platform/errors.js';
import { refuseUrl } from '../../shared/platform/outbound/target.js';
import type { ApiRuntime } from '../runtime.js';

/** @throws {AppError} 400 when nothing may be delivered to this address, as far as its form tells. */
export function assertDeliverable({ config }: ApiRuntime, url: string): void {
  const refusal = refuseUrl(url, { allowLoopback: config.allowLoopback, allowHttp: !config.production });
  if (!refusal) return;
  const message = `url ${refusal}`;
  throw new AppError('validation_error', `${message}.`, {
    details: [{ field: 'url', code: 'blocked_address', message }],
  });
}
