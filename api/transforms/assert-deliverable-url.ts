import { findUrlProblem } from '../../shared/outbound/target.js';
import { AppError } from '../../shared/platform/errors.js';
import type { ApiRuntime } from '../runtime/runtime.js';

/**
 * Checks a webhook URL without resolving its host. Each delivery resolves the host and then checks
 * its addresses.
 * @throws {AppError} 400 if deliveries to this URL are not allowed
 */
export function assertDeliverableUrl({ config }: ApiRuntime, url: string): void {
  const refusal = findUrlProblem(url, { allowLoopback: config.allowLoopback, allowHttp: !config.production });
  // Refuse an endpoint on this service. A delivery to it could create an event, which would create
  // the next delivery, and so on.
  const isOwn = URL.canParse(url) && new URL(url).host === new URL(config.publicUrl).host;
  if (!refusal && !isOwn) return;
  const message = `url ${refusal ?? 'must not be an address of this service'}`;
  throw new AppError('validation_error', `${message}.`, {
    details: [{ field: 'url', code: 'blocked_address', message }],
  });
}
