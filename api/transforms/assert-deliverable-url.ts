import { findUrlProblem } from '../../shared/outbound/target.js';
import { AppError } from '../../shared/platform/errors.js';
import type { ApiRuntime } from '../runtime/runtime.js';

/**
 * Checks only the form of a webhook URL. The delivery checks the addresses of its host.
 * @throws {AppError} 400 when deliveries to this URL are not allowed
 */
export function assertDeliverableUrl({ config }: ApiRuntime, url: string): void {
  const refusal = findUrlProblem(url, { allowLoopback: config.allowLoopback, allowHttp: !config.production });
  // An endpoint on this service would turn events into requests, and requests into events.
  const isOwn = URL.canParse(url) && new URL(url).host === new URL(config.publicUrl).host;
  if (!refusal && !isOwn) return;
  const message = `url ${refusal ?? 'must not be an address of this service'}`;
  throw new AppError('validation_error', `${message}.`, {
    details: [{ field: 'url', code: 'blocked_address', message }],
  });
}
