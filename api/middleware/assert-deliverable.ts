import { AppError } from '../../shared/platform/errors.js';
import type { ApiRuntime } from '../runtime.js';

/** @throws {AppError} 400 when nothing may be delivered to this address. */
export function assertDeliverable(api: ApiRuntime, url: string): void {
  const message = faultOf(url, { allowHttp: !api.config.production });
  if (!message) return;
  throw new AppError('validation_error', `${message}.`, {
    details: [{ field: 'url', code: 'blocked_address', message }],
  });
}

function faultOf(url: string, { allowHttp }: { allowHttp: boolean }): string | undefined {
  if (!URL.canParse(url)) return 'url must be an address that can be called';
  const { protocol, username, password } = new URL(url);
  if (username || password) return 'url must not hold a user or password; use headers instead';
  if (protocol === 'https:' || (allowHttp && protocol === 'http:')) return undefined;
  return 'url must begin with https://';
}
