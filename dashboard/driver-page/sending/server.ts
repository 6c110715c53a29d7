import type { DriverState } from '../../../api/public/driver/driver-contract.js';
import type { StoredAction } from './store.js';

/**
 * How the server answered a request. `later` means that it gave no answer, and that the request may
 * be sent again.
 */
export type Answer =
  | { kind: 'ok'; state: DriverState | null }
  | { kind: 'refused'; reason: string }
  | { kind: 'ended' }
  | { kind: 'later'; waitMs: number | undefined };

/** A slow mobile network may take this long for a picture. */
const TIMEOUT_MS = 90_000;

/** The requests of one page, which all go to paths below its own. */
export class Server {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  readState(): Promise<Answer> {
    return this.#request('/state', {});
  }

  send({ action }: StoredAction): Promise<Answer> {
    if (action.kind !== 'photo') {
      const headers = { 'Content-Type': 'application/json' };
      return this.#request('/actions', { method: 'POST', headers, body: JSON.stringify(action) });
    }
    const { id, at, type, data } = action;
    const query = new URLSearchParams({ id, at });
    return this.#request(`/photos?${query}`, {
      method: 'POST',
      headers: { 'Content-Type': type },
      body: data,
    });
  }

  async #request(path: string, init: RequestInit): Promise<Answer> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), TIMEOUT_MS);
    try {
      const headers = { ...init.headers, 'X-Requested-With': 'driver-page' };
      const response = await fetch(this.#path + path, {
        ...init,
        headers,
        signal: abort.signal,
        credentials: 'omit',
        cache: 'no-store',
      });
      return interpret(response, await response.json().catch(() => undefined));
    } catch {
      return { kind: 'later', waitMs: undefined };
    } finally {
      clearTimeout(timer);
    }
  }
}

interface Body {
  data?: { state?: DriverState | null };
  error?: { code: string; message: string };
}

/**
 * Interprets a response. Only the API itself may say that the link has ended or refuse an action:
 * after the error page of a proxy, the phone keeps everything.
 */
function interpret({ ok, status, headers }: Response, body: Body | undefined): Answer {
  if (ok && body?.data?.state !== undefined) return { kind: 'ok', state: body.data.state };
  const error = body?.error;
  if (!error || ok || status >= 500 || isTemporary(error.code))
    return { kind: 'later', waitMs: Number(headers.get('Retry-After')) * 1000 || undefined };
  if (error.code === 'not_found') return { kind: 'ended' };
  return { kind: 'refused', reason: error.message };
}

const isTemporary = (code: string) => code === 'rate_limited' || code === 'idempotency_in_progress';
