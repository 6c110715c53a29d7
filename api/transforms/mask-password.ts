import { hmacSha256 } from '../../shared/platform/crypto.js';
import type { ApiRuntime } from '../runtime/runtime.js';

/**
 * Returns a function that replaces the password in a body by a keyed hash. With an unkeyed hash, an
 * attacker could test a million passwords a second.
 */
export function createPasswordMask(api: Pick<ApiRuntime, 'sealingKey'>) {
  return (body: unknown): unknown => {
    const { password, ...rest } = Object(body) as { password?: unknown };
    if (typeof password !== 'string') return body;
    return { ...rest, password: hmacSha256(api.sealingKey, password).toString('base64url') };
  };
}
